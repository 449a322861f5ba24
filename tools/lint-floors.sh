#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Holds every #include of include/, src/ and sim/ against the floors of the architecture: an include
# may point to the same or a lower floor, never up. lint-floors.sh [ROOT]
set -euo pipefail
cd -- "${1:-$(dirname -- "${BASH_SOURCE[0]}")/..}"

find include src sim -name '*.[ch]' -type f | sort | xargs -r awk '
BEGIN {
    n = split("base:0 codec:1 zpool:1 engine:1 content:2 accel:2 blk:2 trace:2.5 zswap:3 zram:3 " \
              "swap:4 mm:5 machine:6 sim:7", f, " ")
    for (i = 1; i <= n; i++) {
        split(f[i], kv, ":")
        floor[kv[1]] = kv[2] + 0
    }
    # Headers of include/refault that are not named after their module.
    of["error"] = "base"
    of["config"] = "machine"
    of["calendar"] = "engine"
    of["trace_ops"] = "base" # the words alone, which both sides share
    of["observe"] = "base"
}
function bad(why) {
    printf "%s:%d: %s\n", FILENAME, FNR, why
    failed = 1
}
# The module that a path of this tree belongs to; "" if none.
function module(path,   p) {
    split(path, p, "/")
    if (p[1] == "include") {
        sub(/\.h$/, "", p[3])
        return p[3] in of ? of[p[3]] : p[3]
    }
    if (p[1] == "src")
        return p[2]
    if (p[1] == "sim")
        return p[2] == "trace" ? "trace" : "sim"
    return ""
}
function dirname(path) {
    sub(/\/[^\/]*$/, "", path)
    return path
}
function exists(path,   line, r) {
    r = (getline line < path)
    close(path)
    return r >= 0
}
# Where an include with quotes leads: beside the file, else the include path.
function resolve(name,   path, i, n, roots) {
    path = dirname(FILENAME) "/" name
    while (path ~ /\/[^\/.]+\/\.\.\//)
        sub(/\/[^\/.]+\/\.\.\//, "/", path)
    if (exists(path))
        return path
    n = split("include . sim", roots, " ")
    for (i = 1; i <= n; i++) {
        path = (roots[i] == "." ? "" : roots[i] "/") name
        if (exists(path))
            return path
    }
    return ""
}
FNR == 1 {
    mine = module(FILENAME)
    if (!(mine in floor))
        bad("belongs to no module of the table of floors (" mine ")")
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
    name = $0
    sub(/^[^"]*"/, "", name)
    sub(/".*$/, "", name)
    target = resolve(name)
    if (target == "") {
        bad("includes \"" name "\", which is not in the tree")
        next
    }
    theirs = module(target)
    if (!(theirs in floor) || !(mine in floor))
        next
    if (floor[theirs] > floor[mine])
        bad(mine " includes \"" name "\" of " theirs ", a floor above")
    # A trace is what drives the model from outside: nothing of the modelled kernel reads one.
    else if (theirs == "trace" && mine != "trace" && mine != "sim")
        bad(mine " includes \"" name "\": only the program knows traces")
    # Machine wires the others and checks them against each other, so it may look inside.
    else if (theirs != mine && target !~ /^include\// && floor[mine] < floor["machine"])
        bad(mine " includes \"" name "\", an internal header of " theirs)
}
END {
    exit failed
}'
