# SPDX-License-Identifier: Apache-2.0
"$REFAULT" gen zipf -o t.rft --pages 1K --ops 10K --fill || exit 9
"$REFAULT" replay t.rft --set memory.max=50% --quiet --json a.json || exit 9
"$REFAULT" replay t.rft --set memory.max=50% --quiet --baseline a.json
"$REFAULT" replay t.rft --set memory.max=50% --set swap.device=null --quiet --baseline a.json | head -6
"$REFAULT" replay t.rft --baseline missing.json
