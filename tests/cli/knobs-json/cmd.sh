# SPDX-License-Identifier: Apache-2.0
"$REFAULT" knobs --json - | grep -c "\"key\": \"\(memory.max\|era.zswap.protect\|cost.mm.access_ns\)\""
