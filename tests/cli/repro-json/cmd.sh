# SPDX-License-Identifier: Apache-2.0
# All of them, so small that some criteria fail.
"$REFAULT" repro all --scale 0.02 --seeds 1 --json out.json --quiet
[ $? -le 1 ] || exit 9
"$REFAULT" repro seed-004 --json - >one.json || exit 9
grep -c "\"pass\": false" one.json
grep -c "\"name\": \"seed-004\"" out.json
grep -B 1 -A 5 "S004.2.pages" one.json
grep -c "\"mm_stat\": \[" one.json
head -n 2 out.json
