# SPDX-License-Identifier: Apache-2.0
for a in "--pages 0 --ops 5" "--pages 5 --ops 0" "--pages 5 --ops 5 --level 99" "--pages 5 --ops 5 --level 0" \
    "--pages 5 --ops 5 --contents hist:median=5"; do
    # shellcheck disable=SC2086 # options
    "$REFAULT" gen zipf -o t.rft $a
    echo "$?"
done
echo 'W 1' >ops.txt
for a in "--pages 0" "--level 23" "--contents nothing"; do
    # shellcheck disable=SC2086 # options
    "$REFAULT" import --from text ops.txt -o t.rft $a
    echo "$?"
done
ls
"$REFAULT" gen kbuild-lite --rss 1T --rss-cap 1T -o big.rft
echo "$?"
