# SPDX-License-Identifier: Apache-2.0
"$REFAULT" repro seed-004 --seeds 2 --scale 1/8 -q
