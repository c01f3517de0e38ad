#!/bin/bash
# The tests of check-package, which run in the container as root, once per boot.
. /check/course.bash
readonly program=/usr/libexec/longhaul/longhauld

apt() { DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends "$@" </dev/null >/check/apt.log 2>&1 || { cat /check/apt.log; fail "apt-get $*"; }; }
# Prints the program of a process, with " (deleted)" if its file was removed.
file_of() { readlink "/proc/$1/exe"; }
# Whether a file is the 32 MiB that the server sends.
whole() { python3 -c 'import sys; sys.exit(open(sys.argv[1], "rb").read() != bytes(range(256)) * (128 << 10))' "$1"; }
# Whether a file is the 1 GiB that the server sends.
whole_gibibyte() {
    python3 -c 'import sys
piece = bytes(range(256)) * (128 << 10)
with open(sys.argv[1], "rb") as file: sys.exit(any(file.read(len(piece)) != piece for _ in range(32)) or len(file.read(1)))' "$1"
}
requests() { wc -l </check/requests; }

installing() {
    apt install /check/earlier.deb
    login_version=$(longhaul --version)
    [ -n "$login_version" ] || fail "longhaul does not run"
    for file in /usr/share/man/man{1/longhaul.1,8/longhauld.8}.gz /usr/share/bash-completion/completions/longhaul \
        /usr/share/applications/io.longhaul.Longhaul.desktop /usr/share/icons/hicolor/scalable/apps/io.longhaul.Longhaul.svg \
        /usr/share/zsh/vendor-completions/_longhaul /usr/share/fish/vendor_completions.d/longhaul.fish \
        /usr/share/locale/ko/LC_MESSAGES/longhaul.mo \
        /etc/systemd/user/default.target.wants/longhaul.service /etc/systemd/user/sockets.target.wants/longhaul.socket; do
        [ -e $file ] || fail "$file is missing"
    done
    # The system has no Korean locale: LANG is enough.
    [[ $(LANG=ko_KR.UTF-8 longhaul help) == *다운로드* ]] || fail "the help is not in Korean"
    [[ $(longhaul help) == *"Download files"* ]] || fail "the help is not in English"
    echo "installed: $login_version, with help in Korean"
}

# The installed documents.
reading() {
    local place=/usr/share/doc/longhaul
    /check/documents --check $place || fail "a document of the package has a dead link"
    [ "$(zcat $place/changelog.gz | grep -c '^  \* ')" -gt 10 ] || fail "the changelog lists no changes"
}

using() {
    touch /check/hurry
    new_user ada
    login ada "cd && longhaul --split 1 http://127.0.0.1:8080/film.bin" >/dev/null 2>&1
    whole /home/ada/film.bin || fail "film.bin is incomplete"
    rm /check/hurry /home/ada/film.bin
    login ada "longhaul service start | grep -q 'by systemd'" || fail "a command starts the service without systemd"
    login ada "longhaul setup --yes" 2>/check/setup || { cat /check/setup; fail "longhaul setup"; }
    grep -q "^Transfers stop at the last logout" /check/setup || { cat /check/setup; fail "longhaul setup does not print that transfers stop at logout"; }
    grep -q "^Done: loginctl enable-linger" /check/setup || { cat /check/setup; fail "longhaul setup does not print its command"; }
    [ -e /var/lib/systemd/linger/ada ] || fail "longhaul setup does not enable lingering"
    echo "used: longhaul URL downloads; longhaul setup enables lingering, and prints that"
}

# The second command after the installation downloads 1 GiB. A kill of all processes needs no action by the user.
killing() {
    login ada "cd && longhaul http://127.0.0.1:8080/big.bin" >/dev/null 2>&1 &
    until_true "[ \$(bytes_of ada) -gt 400000000 ]"
    pkill -KILL -u ada longhaul
    touch /check/hurry
    until_true "[ -e /home/ada/big.bin ]"
    whole_gibibyte /home/ada/big.bin || fail "big.bin is incomplete"
    rm /check/hurry /home/ada/big.bin
    echo "killed: the command and the service, during a download of 1 GiB; the download finished without a command"
}

# The command of the desktop entry exists. The service runs with the drop-in of the documentation.
hardening() {
    local entry=/usr/share/applications/io.longhaul.Longhaul.desktop place=/home/ada/.config/systemd/user/longhaul.service.d
    login ada "command -v $(sed -n 's/^Exec=\([^ ]*\).*/\1/p' $entry)" >/dev/null || fail "the desktop entry has an unknown command"
    login ada "mkdir -p $place && cp /usr/share/doc/longhaul/examples/hardened.conf $place/ && systemctl --user daemon-reload &&
        systemctl --user restart longhaul.service && longhaul service start | grep -q 'by systemd'" ||
        fail "the service does not start with hardened.conf"
    login ada "journalctl --user -u longhaul.service" >/dev/null || fail "the journal of the service cannot be read"
    [ "$(login ada "systemctl --user show -P ProtectSystem longhaul.service")" = full ] || fail "systemd does not apply hardened.conf"
    touch /check/hurry
    login ada "cd && longhaul --split 1 http://127.0.0.1:8080/film.bin" >/dev/null 2>&1
    whole /home/ada/film.bin || fail "film.bin is incomplete with hardened.conf"
    login ada "rm -r $place && systemctl --user daemon-reload && systemctl --user restart longhaul.service"
    rm /check/hurry /home/ada/film.bin
    echo "hardened: a download finishes with the restrictions of hardened.conf"
}

upgrading() {
    new_user bob
    cron bob "longhaul service start" >/dev/null
    local idle busy before
    idle=$(service_of bob)
    begin ada
    busy=$(service_of ada)
    moves ada
    before=$(requests)
    apt install /check/new.deb
    until_true "[ '$program' = \"\$(file_of $idle)\" ]"
    # A service that switches to the new program does not listen for a moment.
    until_true "cron bob 'longhaul service status' | grep -q 'process $idle,'"
    [ "$(file_of "$busy")" = "$program (deleted)" ] || fail "the upgrade restarted the busy service: $(file_of "$busy")"
    moves ada
    [ "$(file_of "$busy")" = "$program (deleted)" ] || fail "the busy service switched programs during a transfer"
    touch /check/hurry
    until_true "! cron ada 'longhaul list' | grep -q receiving"
    whole /home/ada/film.bin || fail "film.bin is incomplete"
    [ "$(requests)" = "$before" ] || fail "the service repeated a request: $(cat /check/requests)"
    until_true "[ '$program' = \"\$(file_of $busy)\" ]"
    until_true "cron ada 'longhaul service status' | grep -q 'process $busy,.*by systemd'"
    [ "$(systemctl --user --machine ada@ show -P NRestarts longhaul.service)" = 0 ] || fail "systemd restarted the service"
    rm /check/hurry /home/ada/film.bin
    echo "upgraded: an idle service switches to the new program immediately, a busy one after its transfer, without a second request"
}

leaving() {
    begin ada
    until_true "[ \$(loginctl show-user ada -P State) = lingering ]"
    moves ada
    echo "logged out: the transfer continues"
}

rebooted() {
    until_true "[ -n \"\$(service_of ada)\" ]"
    until_true "cron ada 'longhaul list' | grep -q receiving"
    touch /check/hurry
    until_true "! cron ada 'longhaul list' | grep -q receiving"
    whole /home/ada/film.bin || fail "film.bin is incomplete"
    echo "rebooted: the transfer resumed at boot"
}

removing() {
    rm /check/hurry
    login ada "cd /tmp && longhaul --split 1 -b http://127.0.0.1:8080/film.bin" >/dev/null 2>&1
    moves ada
    apt remove longhaul
    until_true "[ -z \"\$(service_of ada)\" ]"
    [ ! -e /usr/bin/longhaul ] || fail "the command is still there"
    apt install /check/new.deb
    touch /check/hurry
    login ada "longhaul watch -q" >/dev/null
    whole /tmp/film.bin || fail "film.bin is incomplete after the package was installed again"
    echo "removed: the service stops; after another installation, its transfers resume"
    apt purge longhaul
    local left
    left=$(find / -xdev \( -path /proc -o -path /check -o -path /home -o -path /root -o -path /var/cache/apt -o -path /var/log \) \
        -prune -o -name '*longhaul*' ! -name longhaul-check.service -print)
    [ -z "$left" ] || fail "purging leaves: $left"
    [ -d /home/ada/.local/state/longhaul ] || fail "the queue of ada was removed"
    echo "purged: only the queues of the users remain"
}

from_the_archive() {
    apt install $1
    new_user eve
    login eve "tar -xzf /check/archive.tar.gz && cd longhaul-* && ./install && ./install" >/check/install 2>&1 ||
        { cat /check/install; fail "the installation of the archive fails"; }
    login eve "cd && PATH=\$HOME/.local/bin:\$PATH && longhaul --split 1 http://127.0.0.1:8080/film.bin >/dev/null && longhaul setup --yes" 2>/check/setup ||
        { cat /check/setup; fail "a command of the archive fails"; }
    whole /home/eve/film.bin || fail "film.bin is incomplete"
    /check/documents --check /home/eve/.local/share/doc/longhaul || fail "a document of the archive has a dead link"
    grep -q "Transfers continue after logout and start at boot" /check/setup || { cat /check/setup; fail "longhaul setup"; }
    [[ $(login eve "LANG=ko_KR.UTF-8 .local/bin/longhaul help") == *다운로드* ]] || fail "the archive's help is not in Korean"
    login eve ".local/share/longhaul/uninstall" >/dev/null
    until_true "[ -z \"\$(service_of eve)\" ]"
    local left
    left=$(find /home/eve/.local /home/eve/.config -name '*longhaul*' ! -path '*/state/*')
    [ -z "$left" ] || fail "uninstalling leaves: $left"
    echo "archive: installed by a user, used, set up, and removed"
}

start_server
if [ "$boot" = 1 ]; then
    installing
    reading
    using
    killing
    hardening
    upgrading
    leaving
else
    rebooted
    removing
    from_the_archive "libcurl4 libsqlite3-0 libssl3 libsystemd0 libexpat1"
fi
echo "$boot" > /check/status
