#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The floors linter passes this tree and finds each kind of violation in a made-up one.
set -euo pipefail
src=${REFAULT_SRC:?}
bash "$src/tools/lint-floors.sh" "$src"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/include/refault" "$tmp/src/zpool" "$tmp/src/mm" "$tmp/src/odd" "$tmp/sim"
echo > "$tmp/include/refault/trace.h"
echo > "$tmp/include/refault/swap.h"
echo > "$tmp/sim/x.c"
echo > "$tmp/src/odd/o.c"
printf '#include "refault/swap.h"\n' > "$tmp/src/zpool/z_internal.h"
printf '#include "refault/trace.h"\n#include "../zpool/z_internal.h"\n#include "nope.h"\n#include "refault/swap.h"\n' \
    > "$tmp/src/mm/m.c"
if out=$(bash "$src/tools/lint-floors.sh" "$tmp"); then
    echo "the linter passed a tree with violations"
    exit 1
fi
want='src/mm/m.c:1: mm includes "refault/trace.h": only the program knows traces
src/mm/m.c:2: mm includes "../zpool/z_internal.h", an internal header of zpool
src/mm/m.c:3: includes "nope.h", which is not in the tree
src/odd/o.c:1: belongs to no module of the table of floors (odd)
src/zpool/z_internal.h:1: zpool includes "refault/swap.h" of swap, a floor above'
diff <(echo "$want") <(echo "$out")
