# SPDX-License-Identifier: Apache-2.0
# Every row is listed; equal ones have one name, and one run.
"$REFAULT" gen zipf -o t.rft --pages 64 --ops 100 || exit 9
printf '[a]\nvm.swappiness = 10\n[b]\nvm.swappiness = 20\n[c]\nvm.swappiness = 10\n' >s.ini
"$REFAULT" sweep t.rft --scenarios s.ini --list >list
cut -d' ' -f2- list
cut -d' ' -f1 list | sort | uniq -c | sed 's/ *\([0-9]*\) .*/\1/' | sort
"$REFAULT" sweep t.rft --scenarios s.ini --shard 1/2 --list | cut -d' ' -f2-
"$REFAULT" sweep t.rft --scenarios s.ini --quiet --journal j
grep -c '"point"' j
