# SPDX-License-Identifier: Apache-2.0
# No command writes over what it reads, whatever other name the file is given.
head -c 8192 /dev/urandom >b
printf 'W 0 0\nR 0\n' >t
printf 'w 0 0\nS a\n' >s
echo 100 >l
printf '[vm]\nswappiness = 10\n' >c
printf '[mm]\ncopy_page_ns = 400\n' >p
"$REFAULT" gen zipf -o r.rft --pages 64 --ops 100 || exit 9
cp t u.part
ln -s t sym
ln t hard
mkdir d
cat t b s l c p r.rft u.part >before
for c in "import --from text t -o t --bank b" "import --from text t -o sym --bank b" \
    "import --from text t -o hard --bank b" "import --from text t -o d/../t --bank b" \
    "import --from text t -o b --bank b" "import --from text u.part -o u --bank b" \
    "import --from text sym -o t --bank b" "trace cut r.rft -o r.rft --ops 5" \
    "trace sample r.rft -o r.rft --rate 0.5" "trace info r.rft --json r.rft" \
    "gen zipf -o l --pages 64 --ops 100 --contents sizes:l" "zram s --bank b --json s" \
    "zram s --bank b --json b" "zram s --sizes lz4=l --json l" "replay r.rft --config c --json c" \
    "replay r.rft --profile p --csv p" "sweep r.rft --sweep seed=1,2 --config c --csv c" \
    "mrc r.rft --config c --json c"; do
    # shellcheck disable=SC2086 # words of a command
    "$REFAULT" $c
    [ $? = 2 ] || echo "$c"
done
# shellcheck disable=SC2094 # that is what is tried
"$REFAULT" zram - --bank b --json s <s
[ $? = 2 ] || echo stdin
mkdir g g/6.12 g/traces
echo '{}' >g/6.12/x.json
echo >g/traces/t.txt
ln -s g/6.12/x.json case
for f in g/6.12/x.json g/traces/t.txt case; do
    "$REFAULT" validate g --json $f
    [ $? = 2 ] && [ -s $f ] || echo "$f"
done
cat t b s l c p r.rft u.part | cmp - before
ls
