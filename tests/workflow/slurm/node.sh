#!/usr/bin/env bash
# A real SLURM of one node for the tests, without systemd or cgroups: as root, on Debian 12 or 13 with the packages
# slurmctld, slurmd, slurm-client and munge.
#     node.sh start <folder>      ends when the node is idle and has run a job
#     node.sh stop <folder>       cancels what is queued and stops the daemons, by pid file only
# SLURM_CPUS may be more than the machine has. Nothing of a SLURM that is already here is touched: own key, socket, ports.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
FOLDER=${2:?node.sh start|stop <folder>}
HOST=$(hostname -s)
ETC=$FOLDER/etc RUN=$FOLDER/run STATE=$FOLDER/state LOG=$FOLDER/log
FILES="slurm.conf gres.conf cgroup.conf"
export SLURM_CONF=$ETC/slurm.conf

die() { echo "node.sh: $*" >&2; tail -n 20 "$LOG"/*.log >&2 2>/dev/null || true; exit 1; }

alive() { [ -s "$RUN/$1.pid" ] && kill -0 "$(cat "$RUN/$1.pid")" 2>/dev/null; }

configure() {
    local cpus=${SLURM_CPUS:-$(nproc)} memory
    memory=$(awk '/MemTotal/ {print int($2 / 1024 * 0.8)}' /proc/meminfo)
    (umask 077 && head -c 1024 /dev/urandom >"$ETC/munge.key")
    sed "s|@HOST@|$HOST|g; s|@ETC@|$ETC|g; s|@RUN@|$RUN|g; s|@STATE@|$STATE|g; s|@LOG@|$LOG|g; s|@CPUS@|$cpus|g; s|@MEM_MB@|$memory|g" \
        "$HERE/slurm.conf.template" >"$ETC/slurm.conf"
    printf 'Name=gpu File=%s\n' /dev/null /dev/zero >"$ETC/gres.conf" # two pretended GPUs: any two devices
    # SLURM 23 and later loads a cgroup plugin in any case; 22.05 does not know the word `disabled`
    if [ "$(slurmctld -V | grep -oE '[0-9]+' | head -n 1)" -ge 23 ]; then
        echo 'CgroupPlugin=disabled' >"$ETC/cgroup.conf"
    else
        echo 'CgroupMountpoint=/sys/fs/cgroup' >"$ETC/cgroup.conf"
    fi
    # Snakemake's job step drops every SLURM_ variable, SLURM_CONF too: the files must lie at the default place.
    mkdir -p /etc/slurm
    for file in $FILES; do
        [ -e "/etc/slurm/$file" ] && [ ! -L "/etc/slurm/$file" ] && die "/etc/slurm/$file is somebody's: move it away first"
        ln -sfn "$ETC/$file" "/etc/slurm/$file"
    done
}

start() {
    [ "$(id -u)" = 0 ] || die "must run as root"
    rm -rf "$STATE" "$RUN"
    mkdir -p "$ETC" "$RUN" "$STATE/ctld" "$STATE/d" "$LOG"
    chmod 755 "$FOLDER" "$ETC" "$RUN" "$STATE" "$LOG"
    configure
    munged --force --key-file="$ETC/munge.key" --socket="$RUN/munge.socket" --pid-file="$RUN/munged.pid" \
        --log-file="$LOG/munged.log" --seed-file="$STATE/munge.seed" 2>>"$LOG/munged.log" || die "munged did not start"
    slurmctld -f "$SLURM_CONF" || die "slurmctld did not start"
    slurmd -f "$SLURM_CONF" -N "$HOST" || die "slurmd did not start"
    for ((tries = 0; ; tries++)); do
        [ "$(timeout 5 sinfo -h -N -p cpu -o %t 2>/dev/null)" = idle ] && break
        [ $tries -lt 300 ] || die "the node is not idle: $(timeout 5 sinfo -h -N -o '%N %t %E' 2>&1)"
        sleep 0.1
    done
    timeout 30 srun -p cpu -t 1 --mem=50 true >/dev/null 2>>"$LOG/first_job.log" || die "srun did not run a job"
    slurmctld -V
}

stop() {
    if alive slurmctld; then
        timeout 10 scancel --user "$(id -un)" 2>/dev/null || true
        for ((tries = 0; tries < 50; tries++)); do # two seconds between SIGTERM and SIGKILL
            [ -z "$(timeout 5 squeue -h 2>/dev/null)" ] && break
            sleep 0.1
        done
    fi
    for daemon in slurmd slurmctld munged; do
        alive $daemon || continue
        local pid
        pid=$(cat "$RUN/$daemon.pid")
        kill "$pid"
        for ((tries = 0; tries < 100; tries++)); do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
        kill -9 "$pid" 2>/dev/null || true
    done
    for file in $FILES; do
        if [ "$(readlink "/etc/slurm/$file")" = "$ETC/$file" ]; then rm "/etc/slurm/$file"; fi
    done
}

case $1 in start) start ;; stop) stop ;; *) die "start or stop" ;; esac
