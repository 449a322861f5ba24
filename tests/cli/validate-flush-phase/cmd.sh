# SPDX-License-Identifier: Apache-2.0
# Several replays of a case each have a phase of their own, one has that of the knob.
"$REFAULT" validate "$REFAULT_SRC/tests/golden" --reps 2 --set machine.stat_flush_phase=50
echo "$?"
"$REFAULT" validate "$REFAULT_SRC/tests/golden" --set machine.stat_flush_phase=50
echo "$?"
"$REFAULT" validate "$REFAULT_SRC/tests/golden" --reps 1 --set machine.stat_flush_phase=50 --case nothing
