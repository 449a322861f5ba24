#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Completion in a real, interactive bash on a terminal of its own: the words are typed with tabs, and
# a stand-in for the program prints the arguments that came of them. zsh and fish read their scripts
# where they are installed.
set -euo pipefail
if ! script -qec true /dev/null < /dev/null > /dev/null 2>&1; then
    echo "skipped: no pseudo-terminal can be had (script(1), /dev/pts)"
    exit 77
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/bin" "$tmp/work"
cat > "$tmp/bin/refault" <<E2
#!/bin/sh
[ "\$1" = completion ] && exec "$REFAULT" "\$@"
printf 'got:'
printf ' <%s>' "\$@"
echo
E2
chmod +x "$tmp/bin/refault"
cd "$tmp/work"
mkdir folder
: > some.rft
: > other.txt
: > costs.ini
"$REFAULT" completion bash > "$tmp/refault.bash"
bash -n "$tmp/refault.bash"
cat > "$tmp/rc" <<E2
PATH=$tmp/bin:\$PATH
PS1='> '
HISTFILE=
source $tmp/refault.bash
E2

failed=0
# typed TEXT WANTED: \t in TEXT is the tab key.
typed() {
    local out
    out=$(printf '%b\nexit\n' "$1" | INPUTRC=/dev/null TERM=dumb timeout 60 \
        script -qec "bash --noprofile --rcfile $tmp/rc -i" /dev/null | tr -d '\r\a' | grep '^got:' || true)
    if [ "$out" != "got: $2" ]; then
        echo "typed: $1"
        echo "  found:    $out"
        echo "  expected: got: $2"
        failed=1
    fi
}
typed 'refault repl\t--ker\t6.12 --set zswap.compr\tzs\tsom\t' \
    '<replay> <--kernel> <6.12> <--set> <zswap.compressor=zstd> <some.rft>'
typed 'refault replay --set swap.device=zr\tx' '<replay> <--set> <swap.device=zram0> <x>'
typed 'refault replay --set=lru_gen.en\t1 --progress al\tx' \
    '<replay> <--set=lru_gen.enabled=1> <--progress> <always> <x>'
typed 'refault sweep --sweep zswap.zp\tzb\t,zsm\t x' \
    '<sweep> <--sweep> <zswap.zpool=zbud,zsmalloc> <x>'
typed 'refault replay --profile co\tx' '<replay> <--profile> <costs.ini> <x>'
typed 'refault replay --set era.swap.zerom\t0 x' '<replay> <--set> <era.swap.zeromap=0> <x>'
typed 'refault trace sam\t--ra\t0.1 fol\t' '<trace> <sample> <--rate> <0.1> <folder/>'
typed 'refault knobs vm.swapp\t' '<knobs> <vm.swappiness>'
typed 'refault help val\t' '<help> <validate>'
typed 'refault tune --mini\tst\tx' '<tune> <--minimize> <stall> <x>'
typed 'refault validate --kin\tzs\t,zra\t x' '<validate> <--kinds> <zswap,zram> <x>'
typed 'refault import --fr\tsw\tx' '<import> <--from> <swtrace> <x>'
for shell in zsh fish; do
    if command -v $shell > /dev/null; then
        "$REFAULT" completion $shell > "$tmp/refault.$shell"
        $shell -n "$tmp/refault.$shell" || failed=1
    fi
done
exit $failed
