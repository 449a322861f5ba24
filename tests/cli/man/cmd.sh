# SPDX-License-Identifier: Apache-2.0
"$REFAULT" --help-man | diff - "$REFAULT_SRC/docs/man/refault.1"
