# Sourced by the tests that run in the container of a check, as root, once per boot.
set -euo pipefail
readonly boot=$(cat /check/boot)

fail() {
    echo "failed: $*"
    loginctl list-users || true
    ps -eo pid,user,cgroup,args | grep -E "longhaul|systemd --user" | grep -v grep || true
    tail -n 5 /home/*/.local/state/longhaul/longhauld.log 2>/dev/null || true
    exit 1
}

# Runs a command in a new login session, by PAM. The session ends with the command.
login() { su -l "$1" -c "$2" </dev/null; }
# Runs a command as cron does: without a session, with a minimal environment.
cron() { setpriv --reuid="$1" --regid="$1" --init-groups env -i HOME="/home/$1" PATH=/usr/bin:/bin sh -c "$2" </dev/null; }

# Waits until a command succeeds.
until_true() {
    for _ in $(seq 2000); do
        if eval "$1" >/dev/null 2>&1; then return; fi
        sleep 0.05
    done
    fail "timed out: $1"
}

service_of() { pgrep -u "$1" -x longhauld || true; }
answering() { cron "$1" "longhaul service status --json" | sed 's/.*"processID":\([0-9]*\).*/\1/'; }
bytes_of() { cron "$1" "longhaul list --json" | tail -n 1 | sed 's/.*"bytesDone":\([0-9]*\).*/\1/'; }
new_user() { useradd -m -s /bin/sh "$1"; }
begin() { login "$1" "cd && longhaul download --split 1 --detach http://127.0.0.1:8080/film.bin >/dev/null 2>&1"; }
moves() {
    local before
    before=$(bytes_of "$1")
    until_true "[ \$(bytes_of $1) -gt $before ]"
}

# Starts server.py. It sends at full speed while /check/hurry exists, and logs each request to /check/requests.
start_server() {
    python3 /check/server.py &
    until_true "[ -s /check/listening ]"
    rm /check/listening
}
