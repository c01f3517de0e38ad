# Sourced by the checks that need a real systemd user manager: it runs in a mount namespace with a /run of its own, in
# control groups of its own, as user nobody.
#
# A check defines `prepare` (fills "$home" before the manager starts) and `check` (with the manager running), sets
# `programs` to what else it needs, and ends with: user_manager "$@"
#
# Exit status: 0 all is well; 1 something is not; 77 this machine cannot do it, and the last line says why.
set -euo pipefail

readonly units=$(cd "$(dirname "${BASH_SOURCE[0]}")/user" && pwd)
readonly user=65534 runtime=/run/user/65534

skip() { echo "skipped: $*"; exit 77; }
fail() { echo "failed: $*"; exit 1; }
as_user() {
    setpriv --reuid=$user --regid=$user --clear-groups \
        env -i PATH=/usr/bin:/bin HOME="$home" XDG_RUNTIME_DIR=$runtime "$@"
}
ctl() { as_user systemctl --user "$@"; }

outside() {
    [ "$(id -u)" = 0 ] || skip "it must run as root"
    for program in /usr/lib/systemd/systemd /usr/bin/systemctl /usr/bin/setpriv /usr/bin/unshare ${programs:-}; do
        [ -x "$program" ] || skip "$program is not there"
    done
    home=$(mktemp -d)
    group=longhaul-check-$$
    trap clean_up EXIT
    for tree in systemd unified; do
        [ -d /sys/fs/cgroup/$tree ] || continue
        mkdir /sys/fs/cgroup/$tree/$group 2>/dev/null || skip "no control group can be made"
        chown $user /sys/fs/cgroup/$tree/$group /sys/fs/cgroup/$tree/$group/cgroup.procs
    done
    unshare -m true 2>/dev/null || skip "no mount namespace can be made"
    # Not exec: the clean-up comes after it.
    unshare -m --propagation private "$0" --inside "$home" "$group" "$@"
}

# Whoever is still in the control group was started here.
clean_up() {
    local left
    for _ in $(seq 100); do
        left=$(find /sys/fs/cgroup/{systemd,unified}/"$group" -name cgroup.procs -exec cat {} + 2>/dev/null | sort -u)
        [ -n "$left" ] || break
        kill -KILL $left 2>/dev/null || true
        sleep 0.05
    done
    find /sys/fs/cgroup/{systemd,unified}/"$group" -depth -type d -exec rmdir {} + 2>/dev/null || true
    rm -rf "$home"
}

inside() {
    home=$1
    for procs in /sys/fs/cgroup/{systemd,unified}/"$2"/cgroup.procs; do
        if [ -e "$procs" ]; then echo $$ > "$procs"; fi
    done
    shift 2
    mount -t tmpfs -o mode=755 none /run
    mkdir -p /run/systemd/{system,unit-root,propagate} $runtime "$home/.config/systemd/user"
    prepare "$@"
    chown -R $user "$home" $runtime
    chmod 700 $runtime
    as_user /usr/lib/systemd/systemd --user --unit=basic.target > "$home/log" 2>&1 &
    manager=$!
    for _ in $(seq 200); do
        [ -S $runtime/systemd/private ] && break
        kill -0 $manager 2>/dev/null || { cat "$home/log"; skip "systemd --user does not run here"; }
        sleep 0.05
    done
    check
    ctl exit || true
    wait $manager || true
    echo "all is well"
}

user_manager() {
    if [ "${1:-}" = --inside ]; then
        shift
        inside "$@"
    else
        outside "$@"
    fi
}
