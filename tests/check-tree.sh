#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The linter of names passes this tree and finds each kind of stray file in a made-up one.
set -euo pipefail
src=${REFAULT_SRC:?}
# Without git the project's files cannot be told from a user's.
if git -C "$src" ls-files --error-unmatch CMakeLists.txt > /dev/null 2>&1; then
    bash "$src/tools/lint-tree.sh" "$src"
fi

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/src/mm" "$tmp/tests/cli/case" "$tmp/tests/unit" "$tmp/build-x"
touch "$tmp/README.md" "$tmp/b" "$tmp/src/mm/fault.c" "$tmp/src/mm/fault.c.orig" "$tmp/src/mm/notes.txt" \
    "$tmp/tests/unit/test_a.c" "$tmp/tests/unit/b_test.c" "$tmp/tests/cli/case/stdout.exact" \
    "$tmp/tests/cli/case/stdin" "$tmp/build-x/out"
if out=$(bash "$src/tools/lint-tree.sh" "$tmp"); then
    echo "the linter passed a tree with stray files"
    exit 1
fi
want='b: is not one of the known names in the root
src/mm/fault.c.orig: is a left-over
src/mm/notes.txt: has a name that nothing looks for there
tests/cli/case/stdin: has a name that nothing looks for there
tests/unit/b_test.c: has a name that nothing looks for there
tests/cli/case: a case without cmd.sh'
diff <(echo "$want") <(echo "$out")
