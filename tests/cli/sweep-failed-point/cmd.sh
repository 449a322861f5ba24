# SPDX-License-Identifier: Apache-2.0
"$REFAULT" gen zipf -o t.rft --pages 1K --ops 4K --fill >/dev/null || exit 9
"$REFAULT" sweep t.rft --set memory.max=50% --sweep swap.size=0,100% --csv out.csv --quiet
status=$?
cut -d, -f1,2 out.csv
exit $status
