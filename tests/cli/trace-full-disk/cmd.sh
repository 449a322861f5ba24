# SPDX-License-Identifier: Apache-2.0
"$REFAULT" trace info "$REFAULT_SRC/traces/redis.rft" > /dev/full
