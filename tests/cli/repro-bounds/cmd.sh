# SPDX-License-Identifier: Apache-2.0
"$REFAULT" repro iaa-latency | grep 'LAT.*_comp'
# 15 % around 2235: 1899.75 to 2570.25, as the table rounds it
"$REFAULT" repro iaa-latency -q --json - | grep -A5 -B2 '"LAT.sync_decomp"' | grep -E 'high|low'
"$REFAULT" repro iaa-latency -q --json - | grep -A6 -B1 '"LAT.verify_comp"' | grep -E 'high|low'
