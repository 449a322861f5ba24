#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The job script of docs/cluster.md on a Slurm of one node, with 8 tasks: the merged result must be
# that of a single process. Needs root; installs Slurm and munge from Debian's packages if they are
# missing (--no-install: ends with status 77 then). The daemons run from this shell with their own
# configuration, ports and sockets, beside any that there are, and are ended with it.
# REFAULT names the program.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
root=$(cd -- "$here/../.." && pwd)
REFAULT=$(realpath "${REFAULT:-$root/build-release/refault}")
tasks=8

if [ "$(id -u)" != 0 ]; then
    echo "slurm.sh: needs root" >&2
    exit 77
fi
if ! { command -v munged && command -v slurmctld && command -v slurmd && command -v sbatch; } >/dev/null; then
    if [ "${1:-}" = --no-install ]; then
        echo "slurm.sh: Slurm is not installed" >&2
        exit 77
    fi
    apt-get -q update >&2 || exit 77
    # No daemon is started by the installation.
    policy=/usr/sbin/policy-rc.d
    made='' failed=''
    if [ ! -e $policy ]; then
        printf '#!/bin/sh\nexit 101\n' >$policy
        chmod +x $policy
        made=1
    fi
    DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends \
        munge slurmctld slurmd slurm-client >&2 || failed=1
    [ -z "$made" ] || rm $policy
    [ -z "$failed" ] || exit 77
fi

tmp=$(mktemp -d)
chmod 755 "$tmp"
pids=()
end() {
    local p
    for p in "${pids[@]}"; do
        kill "$p" 2>/dev/null || true
    done
    for p in "${pids[@]}"; do
        wait "$p" 2>/dev/null || true
    done
    rm -rf "$tmp"
}
trap end EXIT
mkdir "$tmp/state" "$tmp/spool" "$tmp/work" "$tmp/munge"
chmod 755 "$tmp/munge"

# --- munge: who is who ---
dd if=/dev/urandom of="$tmp/munge/key" bs=128 count=1 status=none
chmod 400 "$tmp/munge/key"
chown -R 0:0 "$tmp/munge"
munged --foreground --force --key-file "$tmp/munge/key" --socket "$tmp/munge/socket" \
    --pid-file "$tmp/munge/pid" --seed-file "$tmp/munge/seed" --log-file "$tmp/munge/log" \
    >"$tmp/munged.out" 2>&1 &
pids+=($!)

# --- Slurm ---
host=$(hostname -s)
port=$((20000 + RANDOM % 20000))
cat >"$tmp/slurm.conf" <<END
ClusterName=refault
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$tmp/munge/socket
CredType=cred/munge
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmctldPidFile=$tmp/slurmctld.pid
SlurmdPidFile=$tmp/slurmd.pid
SlurmctldLogFile=$tmp/slurmctld.log
SlurmdLogFile=$tmp/slurmd.log
StateSaveLocation=$tmp/state
SlurmdSpoolDir=$tmp/spool
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
SchedulerType=sched/builtin
SelectType=select/cons_res
SelectTypeParameters=CR_CPU
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF=$tmp/slurm.conf
slurmctld -D -f "$SLURM_CONF" >"$tmp/slurmctld.out" 2>&1 &
pids+=($!)
slurmd -D -f "$SLURM_CONF" -N "$host" >"$tmp/slurmd.out" 2>&1 &
pids+=($!)
ready=
for _ in $(seq 60); do
    if [ "$(sinfo -h -o %T 2>/dev/null)" = idle ]; then
        ready=1
        break
    fi
    sleep 0.5
done
if [ -z "$ready" ]; then
    echo "slurm.sh: the node does not become idle" >&2
    tail -n 20 "$tmp"/*.out "$tmp"/*.log >&2 || true
    exit 3
fi

# --- the sweep ---
cd "$tmp/work"
ln -s "$root/traces" traces
awk '/^<!-- job script -->/ { wanted = 1 } wanted && /^```/ { if (on) exit; on = 1; next } on' \
    "$root/docs/cluster.md" >sweep.sbatch
export REFAULT
timeout 300 sbatch --wait --array=1-$tasks sweep.sbatch
ls sweep.*.journal | wc -l
"$REFAULT" merge sweep.*.journal --csv merged.csv --json merged.jsonl --quiet
# The arguments of the job script, in one process.
sed -n '/^sweep=(/,/)$/p' sweep.sbatch >arguments
# shellcheck disable=SC1091 # made just now
. ./arguments
# shellcheck disable=SC2154 # it sets sweep
"$REFAULT" sweep "${sweep[@]}" --csv single.csv --json single.jsonl --quiet --progress never
cmp single.csv merged.csv
cmp single.jsonl merged.jsonl
echo "slurm.sh: $tasks tasks merged are the single run: $(wc -l <single.jsonl) points"
