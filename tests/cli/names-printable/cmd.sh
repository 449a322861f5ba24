# SPDX-License-Identifier: Apache-2.0
# What a file's name holds cannot break the lines of output or of messages.
name=$(printf 'a\nb\033[1m\303\251\377.rft')
"$REFAULT" gen zipf -o "$name" --pages 64 --ops 100 || exit 9
"$REFAULT" replay "$name" | head -1 | cut -d: -f1
"$REFAULT" replay "$name" --json - | grep '"name"'
"$REFAULT" trace info "$name" | head -1
"$REFAULT" replay "$(printf 'x\ny')"
