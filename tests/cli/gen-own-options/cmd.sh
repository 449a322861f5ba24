# SPDX-License-Identifier: Apache-2.0
"$REFAULT" gen kbuild-lite --jobs 3 -j 2 --scale 0.01 --cpu 100ms -o k.rft && "$REFAULT" trace info --verify k.rft | tail -n 1
"$REFAULT" gen usemem -a --size 1M -n 2 -o u.rft && "$REFAULT" trace info u.rft | grep '^processes'
for bad in "zipf --pages 1 --ops 1 --jobs 3" "zipf --pages 1 --ops 1 --scale 2" "usemem --size 1M --ops 3" \
    "usemem --size x" "kbuild-lite --think 5q" "kbuild-lite -j 0" "kbuild-lite --scale 0"; do
    "$REFAULT" gen $bad -o bad.rft
    echo $?
done
ls
