# SPDX-License-Identifier: Apache-2.0
printf "W 1 7\nF\ncR 1\nR 2\n" > in.txt
"$REFAULT" import --from text --pages 512 in.txt -o out.rft && "$REFAULT" trace dump out.rft
