# SPDX-License-Identifier: Apache-2.0
# A mark at the beginning is no part of a configuration file; a byte 0 is named, wherever it stands.
"$REFAULT" gen zipf -o t.rft --pages 64 --ops 100 || exit 9
printf '\357\273\277[vm]\nswappiness = 7\n' >mark.ini
"$REFAULT" replay t.rft --config mark.ini | grep -o 'swappiness 7'
printf '[vm]\nswappiness = 7\0\n' >line.ini
printf '[vm]\nswappiness = 7\0008' >end.ini
printf '[vm]\n\0' >last.ini
printf '[vm]\n\357\273\277swappiness = 7\n' >later.ini
for f in line end last later; do
    "$REFAULT" replay t.rft --quiet --config $f.ini
    echo "$?"
done
