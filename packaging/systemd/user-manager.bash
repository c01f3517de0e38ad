# Sourced by the checks that need a systemd user manager. The manager runs as user ID 65534, in a mount namespace with a
# separate /run, and in separate control groups.
#
# A check defines `prepare`, which fills "$home" before the manager starts, and `check`, which runs the tests. `programs`
# lists other required programs. The check ends with: user_manager "$@"
#
# Exit status: 0 passed; 1 failed; 77 skipped, with the reason in the last line.
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
    [ "$(id -u)" = 0 ] || skip "${0##*/} must run as root"
    for program in /usr/lib/systemd/systemd /usr/bin/systemctl /usr/bin/setpriv /usr/bin/unshare ${programs:-}; do
        [ -x "$program" ] || skip "$program is missing"
    done
    home=$(mktemp -d)
    group=longhaul-check-$$
    trap clean_up EXIT
    for tree in systemd unified; do
        [ -d /sys/fs/cgroup/$tree ] || continue
        mkdir /sys/fs/cgroup/$tree/$group 2>/dev/null || skip "cannot create a control group"
        chown $user /sys/fs/cgroup/$tree/$group /sys/fs/cgroup/$tree/$group/cgroup.procs
    done
    unshare -m true 2>/dev/null || skip "cannot create a mount namespace"
    # Not exec, which would replace the shell and its clean_up.
    unshare -m --propagation private "$0" --inside "$home" "$group" "$@"
}

# Kills all processes of the control groups, which this check started, and removes the groups.
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
        kill -0 $manager 2>/dev/null || { cat "$home/log"; skip "systemd --user exited: see above"; }
        sleep 0.05
    done
    check
    ctl exit || true
    wait $manager || true
    echo "passed"
}

user_manager() {
    if [ "${1:-}" = --inside ]; then
        shift
        inside "$@"
    else
        outside "$@"
    fi
}
