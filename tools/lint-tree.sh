#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Holds the names in the tree: lint-tree.sh [ROOT]. Only known files lie in the root (a file named b
# breaks `cmake -B b`), and where files are found by their names, nothing has a name that is not
# found.
set -euo pipefail
cd -- "${1:-$(dirname -- "${BASH_SOURCE[0]}")/..}"

# Paths of this tree. What a user has left beside the project's files is his own affair, so only what
# git knows counts where there is a git.
files() {
    if git ls-files --error-unmatch CMakeLists.txt >/dev/null 2>&1; then
        git ls-files --cached
    else
        find . -type f ! -path './.git/*' ! -path './b/*' ! -path './build*/*' | sed 's|^\./||'
    fi | sort -u
}

files | awk '
BEGIN {
    n = split(".ci .clang-format .clang-tidy .gitignore CMakeLists.txt CMakePresets.json " \
              "CONTRIBUTING.md LICENSE README.md bench cmake dev docs include profiles sim src " \
              "tests tools traces", known, " ")
    for (i = 1; i <= n; i++)
        root[known[i]]
    # What stands in these folders: by the file name, without that of the folder.
    only["tests/unit"] = "^(test_[a-z0-9_]+[.]c|[a-z0-9_]+[.]h)$"
    only["tests/property"] = "^test_[a-z0-9_]+[.]c$"
    only["tests/golden"] = "^(test_[a-z0-9_]+[.]c|README.md|subset.py)$"
    only["tests/fuzz"] = "^(fuzz_[a-z0-9_]+[.]c|[a-z0-9_]+[.]h)$"
    only["tests/cli"] = "^run[.]sh$"
    only["bench"] = "^[a-z0-9_]+[.][ch]$"
    only["cli case"] = "^(cmd[.]sh|exit|stdout[.](exact|glob)|stderr[.](exact|glob))$"
    only["include/refault"] = "^[a-z0-9_]+[.]h$"
    only["src"] = only["sim code"] = "^[a-z0-9_]+[.][ch]$"
}
{
    n = split($0, p, "/")
    folder = $0
    if (!sub(/\/[^\/]*$/, "", folder))
        folder = ""
    if (!(p[1] in root))
        bad = "is not one of the known names in the root"
    else if (/\.(orig|rej|swp|bak|o|a|gcda|gcno|log|tmp)$|~$|(^|\/)[.]DS_Store$|(^|\/)a[.]out$/)
        bad = "is a left-over"
    else {
        kind = folder
        if (p[1] == "tests" && p[2] == "cli" && n == 4)
            kind = "cli case"
        else if (p[1] == "src")
            kind = "src"
        else if (p[1] == "sim" && !/^sim\/html\/assets\/|^sim\/cli\/completion\//)
            kind = "sim code"
        bad = (kind in only) && p[n] !~ only[kind] ? "has a name that nothing looks for there" : ""
    }
    if (bad != "") {
        print $0 ": " bad
        failed = 1
    }
    if (p[1] == "tests" && p[2] == "cli" && n == 4) {
        cases[folder]
        if (p[4] == "cmd.sh")
            run[folder]
    }
}
END {
    for (c in cases)
        if (!(c in run)) {
            print c ": a case without cmd.sh"
            failed = 1
        }
    exit failed
}'
