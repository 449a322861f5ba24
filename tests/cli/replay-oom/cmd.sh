# SPDX-License-Identifier: Apache-2.0
"$REFAULT" gen scan -o t.rft --pages 2K --ops 4K >/dev/null || exit 9
"$REFAULT" replay t.rft --set memory.max=25% --set swap.size=64K --json out.json
grep '"outcome"' out.json
