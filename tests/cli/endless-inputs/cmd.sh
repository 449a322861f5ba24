# SPDX-License-Identifier: Apache-2.0
# What has no end is refused as soon as it is seen to be no text: one line, status 2.
"$REFAULT" gen zipf -o t.rft --pages 64 --ops 100 || exit 9
head -c 8192 /dev/urandom >b
printf 'W 0 0\n' >t
printf 'w 0 0\n' >s
f=/dev/zero
for c in "replay" "replay t.rft --config" "replay t.rft --profile" "replay t.rft --baseline" \
    "compare" "sweep t.rft --scenarios" "sweep t.rft --sweep seed=1,2 --resume --journal" \
    "import --from text -o o.rft" "import --from swtrace -o o.rft" \
    "import --from text t -o o.rft --bank" "zsmalloc fill" "zram s --sizes" \
    "zram s --bank" "validate" "trace info"; do
    # shellcheck disable=SC2086 # words of a command
    timeout 10 "$REFAULT" $c $f 2>err
    echo "$? $c $f $(wc -l <err)"
done
timeout 10 "$REFAULT" gen zipf -o o.rft --pages 64 --ops 100 --contents sizes:$f 2>err
echo "$? sizes $f $(wc -l <err)"
tr '\0' x </dev/zero | "$REFAULT" zram --bank b -
tr '\0' 1 </dev/zero | "$REFAULT" zsmalloc fill
"$REFAULT" zram --bank b /dev/zero
"$REFAULT" merge /dev/zero
yes "# nothing" | timeout 10 "$REFAULT" replay t.rft --config /dev/stdin
yes "" | timeout 10 "$REFAULT" sweep t.rft --scenarios /dev/stdin
ls
