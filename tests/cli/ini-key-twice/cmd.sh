# SPDX-License-Identifier: Apache-2.0
# A key that stands twice is a slip; which of its values was meant nobody knows.
"$REFAULT" gen zipf -o t.rft --pages 64 --ops 100 || exit 9
printf '[vm]\nswappiness = 10\n[swap]\nsize = 1M\n\n[vm]\npage-cluster = 0\nswappiness = 10\n' >c.ini
printf '[mm]\ncopy_page_ns = 400\ncopy_page_ns = 500\n' >p.ini
printf '[a]\nvm.swappiness = 10\n[b : a]\nvm.swappiness = 20\nvm.swappiness = 30\n' >s.ini
printf '[a]\nvm.swappiness = 10\n[b : a]\nvm.swappiness = 20\n[c]\nvm.swappiness = 20\n' >good.ini
"$REFAULT" replay t.rft --config c.ini
echo $?
"$REFAULT" replay t.rft --profile p.ini
echo $?
"$REFAULT" sweep t.rft --scenarios s.ini
echo $?
# Not in one section, or in two files: the last one wins.
"$REFAULT" sweep t.rft --scenarios good.ini --json - | grep -o '"vm.swappiness":[0-9]*'
printf '[vm]\nswappiness = 1\n' >one.ini
printf '[vm]\nswappiness = 2\n' >two.ini
"$REFAULT" replay t.rft --config one.ini --config two.ini --json - | grep -o '"vm.swappiness": *[0-9]*'
