# SPDX-License-Identifier: Apache-2.0
printf "%200s" "" | tr " " x > bad.rft
"$REFAULT" replay bad.rft
