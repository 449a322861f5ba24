# SPDX-License-Identifier: Apache-2.0
REFAULT="$REFAULT" sh "$REFAULT_SRC/docs/outputs.sh" --check docs/experiments.md
