# SPDX-License-Identifier: Apache-2.0
# No command writes over a file that stands within an argument, or in a trace.
head -c 8192 /dev/urandom >b
printf 'W 0 0\nR 0\n' >t
echo 100 >l
cp b before
"$REFAULT" import --from text t -o bank.rft --bank b || exit 9
"$REFAULT" gen zipf -o mix.rft --pages 64 --ops 100 --contents 'mix:zero,0.5*sizes(l)' || exit 9
mkdir moved
cp bank.rft moved
cp l w.part
for c in "gen zipf -o l --pages 64 --ops 100 --contents mix:0.5*zero,0.5*sizes(l)" \
    "gen zipf -o w --pages 64 --ops 100 --contents mix:sizes:w.part,zero" \
    "import --from text t -o l --contents sizes(l)" "replay bank.rft --json b" \
    "replay moved/bank.rft --csv b" "replay mix.rft --timeline l" "mrc mix.rft --csv l" \
    "sweep mix.rft --sweep seed=1,2 --journal l" "trace info bank.rft --json b" \
    "trace cut bank.rft -o b --ops 1" "trace sample mix.rft -o l --rate 0.5" \
    "compare l mix.rft --html l"; do
    # shellcheck disable=SC2086 # words of a command
    "$REFAULT" $c
    [ $? = 2 ] || echo "$c"
done
cmp l w.part && cmp b before || exit 8
