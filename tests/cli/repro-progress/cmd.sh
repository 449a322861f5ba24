# SPDX-License-Identifier: Apache-2.0
# A bar when asked for, or on a terminal; it does not touch what is printed.
"$REFAULT" repro seed-004 --progress always >shown 2>bar || exit 9
tr '\r' '\n' <bar | grep -c '\[#.*] 100 %'
"$REFAULT" repro seed-004 >auto 2>none || exit 8
cmp shown auto && [ ! -s none ] || exit 7
"$REFAULT" repro seed-004 --progress maybe
