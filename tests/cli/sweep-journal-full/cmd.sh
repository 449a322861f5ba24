# SPDX-License-Identifier: Apache-2.0
# No space for the journal: what cannot be kept counts as failed, and is run by --resume.
"$REFAULT" gen zipf -o t.rft --pages 1K --ops 10K --fill || exit 9
set -- t.rft --set memory.max=50% --sweep vm.page-cluster=0..3 -j1
"$REFAULT" sweep "$@" --csv whole.csv --quiet || exit 8
(
    ulimit -f 64 # blocks of 512 bytes
    "$REFAULT" sweep "$@" --csv - --journal j | cut -d, -f2 | sort -u
)
"$REFAULT" sweep "$@" --csv again.csv --quiet --journal j --resume && cmp whole.csv again.csv
