# SPDX-License-Identifier: Apache-2.0
"$REFAULT" gen zipf -o t.rft --pages 64 --ops 100 || exit 9
ln -s . d
for a in "--json o --csv o" "--json - --csv -" "--json ./o --csv d/o" "--interval 1ms --csv x --json x" \
    "--sizes s --json s"; do
    # shellcheck disable=SC2086 # options
    "$REFAULT" replay t.rft $a
    echo "$?"
done
"$REFAULT" sweep t.rft --sweep seed=1,2 --json o --csv o
echo "$?"
"$REFAULT" validate . --json o --markdown o
echo "$?"
"$REFAULT" replay t.rft --quiet --json /dev/null --csv /dev/null
echo "$?"
ls
