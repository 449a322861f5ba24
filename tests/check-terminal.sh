#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# On a terminal the summary of a replay ends with sparklines and a map, in ASCII where the locale has
# no UTF-8; anywhere else it is what it always was.
set -euo pipefail
if ! script -qec true /dev/null < /dev/null > /dev/null 2>&1; then
    echo "skipped: no pseudo-terminal can be had (script(1), /dev/pts)"
    exit 77
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"$REFAULT" gen scan --pages 2K --ops 40K -o "$tmp/scan.rft"
run="$REFAULT replay $tmp/scan.rft --set memory.max=50% --set zswap.enabled=1 --progress never"
# A command on a terminal of its own; script(1) is in every Debian.
terminal() {
    LC_ALL=$1 timeout 60 script -qec "$2" /dev/null < /dev/null | tr -d '\r'
}
failed=0
check() {
    if ! eval "$2"; then
        echo "does not hold: $1"
        failed=1
    fi
}
$run > "$tmp/plain"
terminal C "$run" > "$tmp/ascii"
terminal C.UTF-8 "$run" > "$tmp/utf8"
lines=$(wc -l < "$tmp/plain")
check "the summary itself is the same on a terminal" \
    'head -n "$lines" "$tmp/ascii" | cmp -s - "$tmp/plain"'
check "nothing is drawn where there is no terminal" '! grep -q "along the trace" "$tmp/plain"'
check "sparklines on a terminal" 'grep -q "^along the trace$" "$tmp/utf8" && grep -q "resident .*█.* up to [0-9.]* MiB$" "$tmp/utf8"'
check "ASCII in the C locale" '! LC_ALL=C grep -q "[^ -~]" "$tmp/ascii"'
# Ascending over all pages, again and again: every row of the map is as busy as the others.
check "twelve rows of the map, all with accesses" \
    '[ "$(sed -n "/accesses  /,\$p" "$tmp/ascii" | grep -c "[.:+#]")" = 12 ]'
check "--quiet is quiet there, too" '[ -z "$(terminal C "$run -q")" ]'
exit $failed
