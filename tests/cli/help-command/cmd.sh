# SPDX-License-Identifier: Apache-2.0
for c in replay sweep knobs; do "$REFAULT" $c --help || exit 9; "$REFAULT" help $c >/dev/null || exit 8; done
