# SPDX-License-Identifier: Apache-2.0
"$REFAULT" gen zipf --help >/dev/null || exit 9
"$REFAULT" replay x.rft --json /nonexistent/out.json
