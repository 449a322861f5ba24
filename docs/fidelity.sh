#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes docs/fidelity.md to stdout from a folder of recorded kernel runs (see tests/golden/README.md
# for its shape). REFAULT names the program.
set -eu

here=$(dirname "$0")
dir=${1:?usage: docs/fidelity.sh DIR}
refault=${REFAULT:-refault}

# Status 1 says that a limit is missed, which the tables show.
tables() {
    "$refault" validate "$dir" -q --progress never "$@" >&2 || [ $? = 1 ]
}

tmp=$(mktemp -d)
trap 'rm -r "$tmp"' EXIT
tables --markdown "$tmp/own.md" --ablate
tables --markdown "$tmp/kernel.md" --kernel-sizes --kinds zr

cat "$here/fidelity-notes.md" "$tmp/own.md"
printf '\n# With the sizes that the kernel recorded (scripts)\n'
cat "$tmp/kernel.md"
