# SPDX-License-Identifier: Apache-2.0
"$REFAULT" zsmalloc classes --chain-size 17
