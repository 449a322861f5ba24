#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Puts real output into documents: behind each line `<!-- output: COMMAND -->` the block between the
# next two fences is replaced by what COMMAND prints. REFAULT names the program. `long output` instead
# of `output` stands for commands of a minute, which --check leaves as they are.
#   docs/outputs.sh FILE...           rewrites the files
#   docs/outputs.sh --check FILE...   status 1 if any of them would change
set -eu

check=
if [ "${1:-}" = --check ]; then
    check=1
    shift
fi
[ $# -gt 0 ] || set -- README.md
cd "$(dirname "$0")/.."
REFAULT=${REFAULT:-$PWD/build-release/refault}
tmp=$(mktemp -d)
trap 'rm -r "$tmp"' EXIT
ln -s "$REFAULT" "$tmp/refault"
PATH=$tmp:$PATH
status=0
for f in "$@"; do
    awk -v check="$check" '
        /^<!-- (long )?output: .* -->$/ {
            print
            if (check && /^<!-- long /)
                next
            cmd = $0
            sub(/^<!-- (long )?output: /, "", cmd)
            sub(/ -->$/, " 2>\\&1", cmd)
            pending = 1
            next
        }
        /^```/ && pending {
            print
            pending = 0
            while ((cmd | getline line) > 0)
                print line
            close(cmd)
            skip = 1
            next
        }
        /^```/ && skip { skip = 0 }
        !skip { print }
    ' "$f" >"$tmp/new"
    if cmp -s "$tmp/new" "$f"; then
        continue
    fi
    if [ -n "$check" ]; then
        diff -u "$f" "$tmp/new" || status=1
    else
        cat "$tmp/new" >"$f"
    fi
done
exit $status
