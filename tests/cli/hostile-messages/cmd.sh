# SPDX-License-Identifier: Apache-2.0
# A message shows what was found: printable UTF-8 as it is, every other byte as \xNN. Nothing of a
# file can move the cursor, end the line, or turn the direction of writing.
bad=$(printf 'a\033[2J\r\302\233\342\200\256\377\303\251z')
"$REFAULT" gen zipf -o t.rft --pages 64 --ops 100 || exit 9
head -c 4096 /dev/urandom >b
printf '%s\n' "$bad" >f
printf '[s]\n%s = 1\n' "$bad" >k
printf '[vm]\nswappiness = %s\n' "$bad" >v
printf '[s%s]\nvm.swappiness = x\n' "$bad" >n
printf '{"refault":"1","%s":' "$bad" >j
printf '#swtrace 1 page=4096\n%s\n' "$bad" >w
printf 'S a\033[2J\nE disksize x\033[2J\n' >z
for c in "import --from text f -o o.rft" "import --from swtrace f -o o.rft" \
    "import --from swtrace w -o o.rft" "replay t.rft --config f" "replay t.rft --config k" \
    "replay t.rft --config v" "replay t.rft --profile f" "replay t.rft --profile k" \
    "sweep t.rft --scenarios f" "sweep t.rft --scenarios n" "replay t.rft --baseline j" \
    "compare j" "merge f" "zram f --bank b" "zram z --sizes f" "zsmalloc fill f"; do
    # shellcheck disable=SC2086 # words of a command
    "$REFAULT" $c
    [ $? = 2 ] || echo "$c"
done
for o in "--set=$bad" "--set=$bad=1" "--set=vm.swappiness=$bad" "--set=kernel=$bad" "--$bad" \
    "--kernel=$bad"; do
    "$REFAULT" replay t.rft "$o"
done
"$REFAULT" sweep t.rft --sweep "vm.swappiness=$bad"
"$REFAULT" sweep t.rft --sweep vm.swappiness=1,2 --where "$bad"
"$REFAULT" "$bad"
for k in '"x\\u001b[2J":1' '"z":"\\u009b"'; do
    printf '{"trace":{},"time":{},"x":{},"counters":{},"outcome":"done",%b}\n' "$k" >r
    "$REFAULT" compare r
done
"$REFAULT" zram z --bank b | grep -a -e == -e --
