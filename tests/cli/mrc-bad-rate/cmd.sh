# SPDX-License-Identifier: Apache-2.0
"$REFAULT" mrc s.rft --rate 2
