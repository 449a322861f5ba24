# SPDX-License-Identifier: Apache-2.0
printf "R 1\nQ 2\n" > in.txt
"$REFAULT" import --from text in.txt -o out.rft
# A child ends where its parent goes on.
printf 'W 0 0\ncR 0\n' >in.txt
"$REFAULT" import --from text in.txt -o out.rft
printf 'W 0 0\nF\ncR 0\nR 0\ncR 0\n' >in.txt
"$REFAULT" import --from text in.txt -o out.rft
# What stands behind a byte 0 would go unread.
printf 'W 0\0 5\n' >in.txt
"$REFAULT" import --from text in.txt -o out.rft
