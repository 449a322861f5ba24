# SPDX-License-Identifier: Apache-2.0
"$REFAULT" trace info --verify --json - "$REFAULT_SRC/traces/redis.rft"
