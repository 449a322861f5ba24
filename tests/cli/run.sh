#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs command-line cases: run.sh DIR... where a directory holds
#   cmd.sh          what is run by sh, in an empty scratch directory; "$REFAULT" is the program,
#                   "$REFAULT_SRC" the source tree, "$CASE" the case's own directory
#   stdout.exact    standard output, byte for byte; or
#   stdout.glob     one shell pattern a line; a line of "..." stands for any number of lines
#                   (with neither, standard output must be empty)
#   stderr.exact, stderr.glob   likewise; with neither, standard error is not looked at
#   exit            the exit status expected; 0 without the file
# Without arguments runs every case below its own directory. Ends with 0 if all passed.
set -u
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
: "${REFAULT:?set REFAULT to the program under test}"
case $REFAULT in /*) ;; *) REFAULT=$(pwd)/$REFAULT ;; esac
REFAULT_SRC=${REFAULT_SRC:-$(CDPATH= cd -- "$here/../.." && pwd)}
LC_ALL=C
export REFAULT REFAULT_SRC LC_ALL

# match_glob PATTERNS TEXT: greedy only over "...": tries the next pattern at the first line that fits.
match_glob() {
    exec 3<"$1" 4<"$2"
    skip=0 n=0
    while IFS= read -r pat <&3 || [ -n "$pat" ]; do
        if [ "$pat" = "..." ]; then
            skip=1
            continue
        fi
        while :; do
            line=
            if ! IFS= read -r line <&4 && [ -z "$line" ]; then
                echo "no line matches the pattern: $pat"
                return 1
            fi
            n=$((n + 1))
            # shellcheck disable=SC2254 # the pattern is meant to be one
            case $line in
            $pat) break ;;
            esac
            if [ $skip = 0 ]; then
                echo "line $n: '$line' does not match: $pat"
                return 1
            fi
        done
        skip=0
    done
    line=
    if [ $skip = 0 ] && { IFS= read -r line <&4 || [ -n "$line" ]; }; then
        echo "more lines than patterns, from line $((n + 1)): '$line'"
        return 1
    fi
    return 0
}

# check STREAM FILE MUST_BE_EMPTY
check() {
    if [ -f "$CASE/$1.exact" ]; then
        diff -u "$CASE/$1.exact" "$2" && return 0
    elif [ -f "$CASE/$1.glob" ]; then
        (match_glob "$CASE/$1.glob" "$2") && return 0
        echo "--- $1 was:"
        cat "$2"
    elif [ "$3" = 1 ] && [ -s "$2" ]; then
        echo "--- $1 should be empty, was:"
        cat "$2"
    else
        return 0
    fi
    return 1
}

run_case() {
    CASE=$1
    export CASE
    tmp=$(mktemp -d) || exit 3
    mkdir "$tmp/work"
    (cd "$tmp/work" && sh "$CASE/cmd.sh" >"$tmp/out" 2>"$tmp/err" </dev/null)
    status=$?
    want=0
    if [ -f "$CASE/exit" ]; then
        read -r want <"$CASE/exit"
    fi
    bad=0
    if [ "$status" != "$want" ]; then
        echo "--- exit status $status, expected $want; stderr was:"
        cat "$tmp/err"
        bad=1
    fi
    check stdout "$tmp/out" 1 || bad=1
    check stderr "$tmp/err" 0 || bad=1
    rm -rf "$tmp"
    return $bad
}

if [ $# = 0 ]; then
    # Case directories have no blanks in their names.
    # shellcheck disable=SC2046
    set -- $(find "$here" -name cmd.sh | sort | sed 's,/cmd.sh$,,')
fi
failed=0
for c in "$@"; do
    c=$(CDPATH= cd -- "$c" && pwd) || exit 3
    if run_case "$c"; then
        echo "ok   $c"
    else
        echo "FAIL $c"
        failed=$((failed + 1))
    fi
done
[ $failed = 0 ]
