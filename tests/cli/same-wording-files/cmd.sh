# SPDX-License-Identifier: Apache-2.0
# A file that cannot be read, or written, is named in the same words by every command.
"$REFAULT" gen zipf -o t.rft --pages 64 --ops 100 || exit 9
printf 'w 0 0\n' >s
echo 100 >l
echo "-- missing file" >&2
for c in "replay" "replay t.rft --config" "replay t.rft --profile" "replay t.rft --baseline" "compare" "merge" "mrc" \
    "tune --minimize stall --sweep seed=1,2" "sweep --sweep seed=1,2" "sweep t.rft --scenarios" "trace info" \
    "import --from text -o o" "import --from swtrace -o o" "import --from text s -o o --bank" "zsmalloc fill" \
    "zram --sizes l" "zram s --sizes" "zram s --bank" "gen zipf --pages 1 --ops 1 -o o --contents" \
    "import --from text s -o o --contents"; do
    f=nofile
    case $c in *contents) f=sizes:nofile ;; esac
    # shellcheck disable=SC2086 # words of a command
    "$REFAULT" $c $f
    [ $? = 2 ] || echo "$c"
done 2>&1 | sort | uniq -c | sed 's/^ *//' >&2
echo "-- cannot be written" >&2
for c in "replay t.rft --json" "trace info t.rft --json" "gen zipf --pages 64 --ops 100 -o" "zram s --sizes l --json" \
    "zsmalloc classes --csv" "sweep t.rft --sweep seed=1,2 --journal" "trace cut t.rft --ops 5 -o" \
    "mrc t.rft --sizes 50% --csv"; do
    # shellcheck disable=SC2086 # words of a command
    "$REFAULT" $c none/o
    [ $? = 3 ] || echo "$c"
done 2>&1 | sort | uniq -c | sed 's/^ *//' >&2
