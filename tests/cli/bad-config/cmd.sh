# SPDX-License-Identifier: Apache-2.0
printf "[vm]\nswappiness = 10\npage-clusters = 3\n" > a.ini
"$REFAULT" replay x.rft --config a.ini
