# SPDX-License-Identifier: Apache-2.0
printf "# rows of the classes file\n504 7\n3200,5\n3500\n" | "$REFAULT" zsmalloc fill --rules old --huge-threshold 3257
