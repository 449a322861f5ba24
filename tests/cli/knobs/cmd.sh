# SPDX-License-Identifier: Apache-2.0
"$REFAULT" knobs vm.page-cluster zswap.max_pool_percent
