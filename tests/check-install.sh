#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# An installed tree is complete: every header compiles on its own, and a program that knows only
# "pkg-config refault" is built, linked and runs. Run in a build directory.
set -euo pipefail
if [ -n "${REFAULT_SANITIZED:-}" ]; then
    echo "skipped: the objects of an instrumented build need its flags"
    exit 0
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cmake --install . --prefix "$tmp/usr" > "$tmp/log" || {
    cat "$tmp/log"
    exit 1
}
pc=$(find "$tmp/usr" -name refault.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
read -ra cflags < <(pkg-config --cflags refault)
read -ra libs < <(pkg-config --libs refault)
for h in "$tmp"/usr/include/refault/*.h; do
    printf '#include "refault/%s"\nint unused;\n' "$(basename "$h")" > "$tmp/h.c"
    ${CC:-cc} -std=c11 -Wall -Wextra -Werror "${cflags[@]}" -fsyntax-only "$tmp/h.c"
done
cat > "$tmp/p.c" <<'C'
#include <refault/engine.h>
#include <refault/config.h>
#include <stdio.h>

int main(void) {
    struct engine_params p = {.cpus = 1};
    struct engine *e;

    if (engine_create(&p, &e, NULL) != RF_OK)
        return 1;
    printf("%u %llu\n", engine_nr_cpus(e), (unsigned long long)profile_default()->blk[PROFILE_NVME].read_ns);
    engine_destroy(e);
    return 0;
}
C
${CC:-cc} -std=c11 "${cflags[@]}" "$tmp/p.c" "${libs[@]}" -o "$tmp/p"
[ "$("$tmp/p")" = "1 80000" ]
"$tmp/usr/bin/refault" --version > /dev/null
