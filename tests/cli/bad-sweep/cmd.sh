# SPDX-License-Identifier: Apache-2.0
"$REFAULT" sweep x.rft --sweep vm.page-cluster=5..1
