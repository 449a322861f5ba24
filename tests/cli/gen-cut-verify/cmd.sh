# SPDX-License-Identifier: Apache-2.0
"$REFAULT" gen zipf -o z.rft --pages 1K --ops 20K --fill &&
"$REFAULT" trace cut z.rft -o c.rft --from-op 10K --ops 2K && "$REFAULT" trace info --verify c.rft
