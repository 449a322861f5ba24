# SPDX-License-Identifier: Apache-2.0
# A timeline on stdout, cut off at its limit; the limit needs a timeline and a number.
"$REFAULT" gen scan --pages 300 --ops 2K -o s.rft || exit 9
"$REFAULT" replay s.rft --set memory.max=80% --timeline - --timeline-limit 3 > t.json || exit 9
grep -c '"ph":"X"' t.json
tail -n 1 t.json | grep -o 'events_left_out'
"$REFAULT" replay s.rft --timeline-limit 3 && exit 9
"$REFAULT" replay s.rft --timeline x --timeline-limit 0
