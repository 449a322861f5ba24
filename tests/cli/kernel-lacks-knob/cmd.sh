# SPDX-License-Identifier: Apache-2.0
"$REFAULT" gen scan -o t.rft --pages 1K --ops 2K >/dev/null || exit 9
"$REFAULT" replay t.rft --kernel 6.1 --set zswap.shrinker_enabled=1 --quiet
