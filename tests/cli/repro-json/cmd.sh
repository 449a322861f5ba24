# SPDX-License-Identifier: Apache-2.0
"$REFAULT" repro all --json out.json --quiet || exit 9
"$REFAULT" repro seed-004 --json - >one.json || exit 9
grep -c "\"pass\": false" out.json one.json
grep -B 1 -A 4 "S004.2.pages" one.json
grep -c "\"mm_stat\": \[" one.json
head -n 2 out.json
