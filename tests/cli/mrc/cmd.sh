# SPDX-License-Identifier: Apache-2.0
# A scan in a circle: LRU misses everything until all of it fits.
"$REFAULT" gen scan -o s.rft --pages 1K --ops 4K &&
"$REFAULT" mrc s.rft --no-stall --sizes 50%,99%,100% --csv -
