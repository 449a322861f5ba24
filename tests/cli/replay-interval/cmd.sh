# SPDX-License-Identifier: Apache-2.0
"$REFAULT" gen zipf -o t.rft --pages 2K --ops 20K --fill >/dev/null || exit 9
"$REFAULT" replay t.rft --set memory.max=50% --interval 10ms --csv - >s.csv || exit 8
head -n 1 s.csv | cut -d, -f1-3
# Times rise, the last operation is the trace's last, every row has all fields.
awk -F, 'NR == 1 { n = NF; next } NF != n || $1 < t { bad++ } { t = $1; op = $2 } END { print bad + 0, (NR > 4), op }' s.csv
