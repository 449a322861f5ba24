# SPDX-License-Identifier: Apache-2.0
# Text without an end is refused at a stated length.
head -c 8192 /dev/urandom >b
yes 100 | timeout 10 "$REFAULT" gen zipf -o o.rft --pages 64 --ops 100 --contents sizes:/dev/stdin
mkfifo f
timeout 10 "$REFAULT" gen zipf -o o.rft --pages 64 --ops 100 --contents 'mix:zero,sizes(f)'
yes "" | head -n 4194305 >l
timeout 10 "$REFAULT" gen zipf -o o.rft --pages 64 --ops 100 --contents 'mix:zero,sizes(l)'
rm f l
yes "w 0 0" | timeout 10 "$REFAULT" zram --bank b -
[ $? = 2 ] || echo script
