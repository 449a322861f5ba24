# SPDX-License-Identifier: Apache-2.0
# Without any bound: that nothing was found is said to be for lack of memory, on the page as well.
"$REFAULT" gen zipf -o z.rft --pages 1K --ops 10K --fill || exit 9
"$REFAULT" tune z.rft --set memory.max=20K --sweep vm.page-cluster=0..2 --html z.html
echo "$?"
grep -o '<p class="verdict fail">[^<]*' z.html
