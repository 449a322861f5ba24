# SPDX-License-Identifier: Apache-2.0
# As many scenarios as there may be, each with all that the one before it has; and one more.
"$REFAULT" gen zipf -o t.rft --pages 64 --ops 100 || exit 9
awk 'BEGIN { print "[s1]"; for (i = 2; i <= 4096; i++) print "[s" i " : s" i - 1 "]\nseed = " i }' >s.ini
timeout 20 "$REFAULT" sweep t.rft --scenarios s.ini --list | wc -l
echo '[s0]' >>s.ini
timeout 20 "$REFAULT" sweep t.rft --scenarios s.ini --list
