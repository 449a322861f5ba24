# SPDX-License-Identifier: Apache-2.0
# An unknown option, and one without its value, are told in the same words by every command.
echo "-- unknown option" >&2
for c in "replay" "sweep" "merge" "compare" "tune" "mrc" "knobs" "validate" "repro" "import" "trace info" "trace dump" \
    "trace cut" "trace sample" "gen" "zsmalloc fill" "zsmalloc classes" "zram" "completion"; do
    # shellcheck disable=SC2086 # words of a command
    "$REFAULT" $c --nonesuch 2>err
    [ $? = 2 ] || echo "$c"
    sed "s/${c%% *}/COMMAND/g" err >&2
done 2>&1 | sort -u >&2
for c in "replay --jsn" "gen --page" "import --form" "zram --sizs" "zsmalloc fill --rulse" "trace info --jsno" \
    "gen --seed" "zram --bank" "trace info --json" "gen --fill=1" "zram --quiet=1" "replay --quiet=1"; do
    # shellcheck disable=SC2086 # words of a command
    "$REFAULT" $c
    [ $? = 2 ] || echo "$c"
done
