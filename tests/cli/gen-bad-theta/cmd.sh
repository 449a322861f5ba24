# SPDX-License-Identifier: Apache-2.0
"$REFAULT" gen zipf -o z.rft --pages 1K --ops 1K --theta x
