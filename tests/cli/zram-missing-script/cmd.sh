# SPDX-License-Identifier: Apache-2.0
echo 100 >sizes; "$REFAULT" zram no-such.zs --sizes sizes
