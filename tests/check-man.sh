#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The manual page renders without a warning. Skipped where there is no groff.
set -euo pipefail
if ! command -v groff > /dev/null; then
    echo "skipped: groff is not installed (Debian package groff-base)"
    exit 77
fi
said=$("$REFAULT" --help-man | groff -ww -man -Tutf8 2>&1 > /dev/null)
if [ -n "$said" ]; then
    echo "$said" | head -20
    exit 1
fi
lines=$("$REFAULT" --help-man | groff -man -Tutf8 2> /dev/null | wc -l)
[ "$lines" -gt 100 ]
