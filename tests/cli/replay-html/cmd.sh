# SPDX-License-Identifier: Apache-2.0
# A page on stdout: markup in the name of a trace is text, and nothing is loaded. Two outputs in one
# place, or over the trace, are refused.
"$REFAULT" gen scan --pages 300 --ops 2K -o '<b>.rft' || exit 9
"$REFAULT" replay '<b>.rft' --set memory.max=80% --html - > page.html || exit 9
grep -o '<h1>.*</h1>' page.html
grep -c '<svg' page.html
grep -cE '(src|href)="[^#d]' page.html
tail -n 1 page.html
"$REFAULT" replay '<b>.rft' --html x --csv x && exit 9
"$REFAULT" replay '<b>.rft' --html - --json - && exit 9
"$REFAULT" replay '<b>.rft' --html '<b>.rft' && exit 9
"$REFAULT" replay '<b>.rft' --html /nowhere/x.html
