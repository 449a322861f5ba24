# SPDX-License-Identifier: Apache-2.0
"$REFAULT" replay x.rft --set vm.swapiness=10
