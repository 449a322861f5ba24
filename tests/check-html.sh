#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The HTML reports in a real browser: tests/browser/check.py loads them in headless Chromium and
# compares what stands there with the JSON results. Skipped without Chromium, unless
# REFAULT_BROWSER=1.
set -euo pipefail
if [ -n "${REFAULT_SANITIZED:-}" ]; then
    echo "skipped: the pages of an instrumented build are the same"
    exit 77
fi
for p in chromium python3; do
    if ! command -v $p > /dev/null; then
        echo "skipped: $p is not installed (Debian package $p)"
        [ -z "${REFAULT_BROWSER:-}" ] || exit 1
        exit 77
    fi
done
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
exec_check() {
    PYTHONDONTWRITEBYTECODE=1 timeout 400 python3 "$REFAULT_SRC/tests/browser/check.py" "$REFAULT" \
        "$REFAULT_SRC" "$tmp"
}
exec_check
