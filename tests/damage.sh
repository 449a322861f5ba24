#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Damages every bundled trace (or those named) at 1,000 lengths and in 1,000 bytes, and reads each
# to its end: damage.sh BUILD-DIR [TRACE...]. Best with a build of the preset asan: three minutes of
# CPU time for the bundled ones then, on as many threads as there are processors.
set -u
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
build=${1:?usage: damage.sh BUILD-DIR [TRACE...]}
shift
[ $# -gt 0 ] || set -- "$here"/../traces/*.rft
exec "$build/tests/unit/test_trace_damage" "$@"
