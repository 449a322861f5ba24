# SPDX-License-Identifier: Apache-2.0
"$REFAULT" gen zipf -o t.rft --pages 2K --ops 20K --fill >/dev/null || exit 9
"$REFAULT" replay t.rft --set memory.max=50% --set zswap.enabled=1
