# SPDX-License-Identifier: Apache-2.0
# Charged together: what is in memory, and what is out and cached nowhere.
"$REFAULT" replay "$REFAULT_SRC/traces/redis.rft" --set memory.limit_in_bytes=50% --json r.json | grep '^cgroup  *v1'
grep -o '"memory\.[a-z_.]*"' r.json | sort | uniq
