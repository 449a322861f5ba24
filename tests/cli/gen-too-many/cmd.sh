# SPDX-License-Identifier: Apache-2.0
# What no disk has room for is refused before anything is written; the line names the limit.
for a in "zipf --pages 5 --ops 1000000G" "scan --pages 5 --ops 1025G" "zipf --pages 129M --ops 5" \
    "usemem --size 1T --nproc 1024" "kbuild-lite --scale 1e12" \
    "kbuild-lite --jobs 100000 --cpu 3600s --think 10ns" "redis-memtier --guest 2T" \
    "redis-memtier --keys 90000000 --servers 256 --passes 100"; do
    # shellcheck disable=SC2086 # options
    "$REFAULT" gen $a -o t.rft
    echo "$?"
done
ls
