# SPDX-License-Identifier: Apache-2.0
printf "R 1\nQ 2\n" > in.txt
"$REFAULT" import --from text in.txt -o out.rft
