# SPDX-License-Identifier: Apache-2.0
"$REFAULT" zsmalloc classes --chain-size 4 --rules old --csv -
