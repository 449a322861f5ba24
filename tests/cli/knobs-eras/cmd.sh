# SPDX-License-Identifier: Apache-2.0
"$REFAULT" knobs --eras era.zswap.hysteresis || exit 9
"$REFAULT" knobs --eras era.zswap.hysteresis --json -
"$REFAULT" knobs --eras --kernel 6.1
"$REFAULT" knobs --eras vm.swappiness
