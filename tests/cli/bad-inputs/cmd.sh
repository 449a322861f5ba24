# SPDX-License-Identifier: Apache-2.0
# An input that is missing or cannot be read is bad input in every command.
mkdir dir
"$REFAULT" gen zipf -o t.rft --pages 64 --ops 100 || exit 9
: >empty
for f in missing dir; do
    for c in "replay" "sweep --sweep seed=1,2" "replay t.rft --config" "replay t.rft --profile" \
        "trace info" "trace dump" "trace cut -o o.rft" "import --from text -o o.rft" \
        "import --from swtrace -o o.rft" "zsmalloc fill" "zram empty --sizes" "zram empty --bank" \
        "zram --bank empty" "validate"; do
        # shellcheck disable=SC2086 # words of a command
        "$REFAULT" $c $f 2>err
        echo "$? $c $f $(wc -l <err)"
    done
done
"$REFAULT" gen zipf -o o.rft --pages 64 --ops 100 --contents sizes:missing
echo "$?"
"$REFAULT" import --from text empty -o o.rft
"$REFAULT" replay ''
"$REFAULT" trace info ''
