# SPDX-License-Identifier: Apache-2.0
# What the shells ask for: each option with a closed set of values offers all of it, from the table
# that the command itself reads.
words() {
    echo "-- $*"
    "$REFAULT" completion words -- "$@" | cut -f 1 | paste -sd ' ' -
}
words tune --minimize ''
words tune --against w
words tune --minimize=p
words tune --where st
words sweep --where zswap.max
words import --from ''
words validate --kinds ''
words validate --kinds zram,z
words zram --comp lz
words zram --recomp=zs
words gen ''
# Each that is offered is taken.
"$REFAULT" gen zipf -o t.rft --pages 64 --ops 500 || exit 9
for m in $("$REFAULT" completion words -- tune --minimize '' | cut -f 1); do
    "$REFAULT" tune t.rft --minimize "$m" --quiet --sweep seed=1,2 || echo "$m"
done
for k in $("$REFAULT" completion words -- validate --kinds '' | cut -f 1 | grep -v :open); do
    "$REFAULT" validate --kinds "$k" none
done
