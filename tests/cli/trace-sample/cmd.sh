# SPDX-License-Identifier: Apache-2.0
"$REFAULT" gen scan -o s.rft --pages 4K --ops 4K &&
"$REFAULT" trace sample s.rft -o half.rft --rate 0.5 --group 512 &&
"$REFAULT" trace info --verify half.rft
