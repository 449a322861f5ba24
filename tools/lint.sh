#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# All static checks: lint.sh. Prints what is wrong; exit status 1 if anything is.
set -uo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root" || exit 3
jobs=${JOBS:-$(nproc)}
failed=0

step() {
    local name=$1
    shift
    if "$@"; then
        echo "ok   $name"
    else
        echo "FAIL $name"
        failed=1
    fi
}

sources() {
    find include src sim bench tests tools -name '*.[ch]' -type f | sort
}

formatting() {
    sources | xargs -r -P "$jobs" -n 24 clang-format --dry-run -Werror
}

tidy() {
    local log rc
    log=$(mktemp)
    cmake -S . -B build-lint -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER=clang \
        >"$log" 2>&1 || {
        cat "$log"
        rm -f "$log"
        return 1
    }
    # The tests are held to the compiler's warnings and to the formatting only.
    # The analyzer walks a quarter of its usual number of states a function: a third of the time.
    find src sim bench -name '*.c' -type f | sort |
        xargs -r -P "$jobs" -n 1 clang-tidy -p build-lint --quiet \
            --extra-arg=-Xclang --extra-arg=-analyzer-config \
            --extra-arg=-Xclang --extra-arg=max-nodes=50000 >"$log" 2>&1
    rc=$?
    grep -v 'warnings\? generated\|warnings in non-user code\|^Suppressed\|^Use -header-filter' "$log"
    rm -f "$log"
    return $rc
}

licences() {
    local f bad=0
    while read -r f; do
        # The first line, or the second below an interpreter line.
        if ! head -n 2 "$f" | grep -q 'SPDX-License-Identifier: Apache-2.0'; then
            echo "$f: no line 'SPDX-License-Identifier: Apache-2.0' at the top"
            bad=1
        fi
    done < <(
        sources
        find cmake tools tests bench .ci dev CMakeLists.txt -type f \( -name '*.sh' -o -name '*.cmake' \
            -o -name run -o -name dev -o -name CMakeLists.txt \) | grep -v '/cmd\.sh$' | sort
    )
    return $bad
}

step "floors of the architecture" bash tools/lint-floors.sh
step "names in the tree" bash tools/lint-tree.sh
step "licence lines" licences
step "clang-format" formatting
step "clang-tidy" tidy
exit $failed
