# SPDX-License-Identifier: Apache-2.0
"$REFAULT" replay x.rft --sett a=b
