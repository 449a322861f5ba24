# SPDX-License-Identifier: Apache-2.0
# Options that would have no effect are errors; a name among several that fits no case is noted.
"$REFAULT" validate "$REFAULT_SRC/tests/golden" --ablate
echo "$?"
"$REFAULT" validate "$REFAULT_SRC/tests/golden" -q --kernel 6.1 --kinds zr --case zr_stride_lz4 --case zr_strid
echo "$?"
"$REFAULT" validate "$REFAULT_SRC/tests/golden" --kernel 6.1 --kinds zr --case zr_stride_lz4 | grep '^kernel'
"$REFAULT" validate "$REFAULT_SRC/tests/golden" --kernel 6.1 --case zr_stride_lz4 --json /dev/full
echo "$?"
"$REFAULT" validate "$REFAULT_SRC/tests/golden" --reps 0
echo "$?"
"$REFAULT" validate "$REFAULT_SRC/tests/golden" --kinds zr,zrm
echo "$?"
