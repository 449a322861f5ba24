# SPDX-License-Identifier: Apache-2.0
"$REFAULT" import in.txt -o out.rft
