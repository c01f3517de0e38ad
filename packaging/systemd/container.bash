# Sourced by the checks that boot systemd in a container, from an overlay of a system.
#
# A check calls `outside "$@"`, which runs `CHECK --inside BASE GROUP "$@"` in a new mount namespace and new control groups.
# There, the check calls `lay_over LOWER BASE GROUP`, copies its files to "$root", and boots it by `boot COURSE`.
#
# Exit status: 0 passed; 1 failed; 77 skipped, with the reason in the last line.
set -euo pipefail
PATH=/usr/sbin:/usr/bin:/sbin:/bin

skip() { echo "skipped: $*"; exit 77; }

# Prints each hierarchy of control groups: one for version 2, several for version 1.
trees() {
    if [ -e /sys/fs/cgroup/cgroup.procs ]; then echo /sys/fs/cgroup; else ls -d /sys/fs/cgroup/*/; fi
}

outside() {
    [ "$(id -u)" = 0 ] || skip "${0##*/} must run as root"
    for program in systemd-nspawn ${programs:-}; do
        command -v $program >/dev/null || skip "$program is missing"
    done
    base=$(mktemp -d)
    group=longhaul-container-$$
    trap clean_up EXIT
    local tree
    for tree in $(trees); do
        mkdir "$tree/$group" 2>/dev/null || skip "cannot create a control group in $tree"
    done
    unshare -m true 2>/dev/null || skip "cannot create a mount namespace"
    # Not exec, which would replace the shell and its clean_up.
    unshare -m --propagation private "$0" --inside "$base" "$group" "$@"
}

# Kills all processes of the control groups, which this check started, and removes the groups.
clean_up() {
    local left tree
    for _ in $(seq 100); do
        left=$(for tree in $(trees); do find "$tree/$group" -name cgroup.procs -exec cat {} + 2>/dev/null; done | sort -u)
        [ -n "$left" ] || break
        kill -KILL $left 2>/dev/null || true
        sleep 0.05
    done
    for tree in $(trees); do find "$tree/$group" -depth -type d -exec rmdir {} + 2>/dev/null || true; done
    rm -rf "$base"
}

# Makes "$root", an overlay of the system in LOWER whose changes are in memory, and enters the control groups.
lay_over() {
    local lower=$1 base=$2 group=$3 tree
    mount -t tmpfs none "$base"
    mkdir "$base"/{changes,work,root}
    root=$base/root console=$base/console
    mount -t overlay overlay -o "lowerdir=$lower,upperdir=$base/changes,workdir=$base/work" "$root" 2>/dev/null ||
        skip "cannot mount an overlay of the root file system"
    for tree in $(trees); do
        if [ -e "$tree/$group/cpuset.cpus" ] && [ -e "$tree/cpuset.sched_load_balance" ]; then
            cat "$tree/cpuset.cpus" > "$tree/$group/cpuset.cpus"
            cat "$tree/cpuset.mems" > "$tree/$group/cpuset.mems"
        fi
        echo $$ > "$tree/$group/cgroup.procs"
    done
    : > "$root/etc/machine-id"
    mkdir -p "$root/check" "$root/etc/systemd/system" "$root/etc/systemd/logind.conf.d"
    # By default, the user manager exits ten seconds after the last logout. One second makes the tests faster.
    printf '[Login]\nUserStopDelaySec=1\n' > "$root/etc/systemd/logind.conf.d/check.conf"
    cat > "$root/etc/systemd/system/longhaul-check.service" <<'END'
[Unit]
Wants=dbus.service systemd-logind.service systemd-user-sessions.service
After=dbus.service systemd-logind.service systemd-user-sessions.service
SuccessAction=poweroff
FailureAction=poweroff-force
[Service]
Type=oneshot
ExecStart=/check/course
StandardOutput=append:/check/log
StandardError=append:/check/log
END
}

# Boots the container twice. /check/boot has the number of the boot. The course writes it to /check/status if all tests pass.
boot() {
    local number
    install -m 755 "$1" "$root/check/course"
    for number in 1 2; do
        echo $number > "$root/check/boot"
        timeout -k 10 500 systemd-nspawn -q -D "$root" --register=no --keep-unit --private-network \
            --boot -- --unit=longhaul-check.service SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1 \
            </dev/null > "$console" 2>&1 || true
        [ -e "$root/check/log" ] || { tail -n 5 "$console"; skip "systemd does not boot in a container here"; }
        [ "$(cat "$root/check/status" 2>/dev/null)" = "$number" ] || { cat "$root/check/log"; exit 1; }
    done
    cat "$root/check/log"
    echo "passed"
}
