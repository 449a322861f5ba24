# SPDX-License-Identifier: Apache-2.0
"$REFAULT" replay "$REFAULT_SRC/traces/redis.rft" --set memory.max=50% --set memory.limit_in_bytes=50%
