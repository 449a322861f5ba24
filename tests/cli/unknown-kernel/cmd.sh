# SPDX-License-Identifier: Apache-2.0
"$REFAULT" replay x.rft --kernel 2.6
