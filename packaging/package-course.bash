#!/bin/bash
# Runs in the container of check-package, as root, once for each boot.
. /check/course.bash
readonly program=/usr/libexec/longhaul/longhauld

apt() { DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends "$@" </dev/null >/check/apt.log 2>&1 || { cat /check/apt.log; fail "apt-get $*"; }; }
# What a process runs; a file that has gone has a remark behind its name.
file_of() { readlink "/proc/$1/exe"; }
whole() { python3 -c 'import sys; sys.exit(open(sys.argv[1], "rb").read() != bytes(range(256)) * (128 << 10))' "$1"; }
# The same of 1 GiB.
whole_gibibyte() {
    python3 -c 'import sys
piece = bytes(range(256)) * (128 << 10)
with open(sys.argv[1], "rb") as file: sys.exit(any(file.read(len(piece)) != piece for _ in range(32)) or len(file.read(1)))' "$1"
}
asked() { wc -l </check/requests; }

installing() {
    apt install /check/earlier.deb
    login_version=$(longhaul --version)
    [ -n "$login_version" ] || fail "longhaul does not run"
    for file in /usr/share/man/man{1/longhaul.1,8/longhauld.8}.gz /usr/share/bash-completion/completions/longhaul \
        /usr/share/applications/io.longhaul.Longhaul.desktop /usr/share/icons/hicolor/scalable/apps/io.longhaul.Longhaul.svg \
        /usr/share/zsh/vendor-completions/_longhaul /usr/share/fish/vendor_completions.d/longhaul.fish \
        /usr/share/locale/ko/LC_MESSAGES/longhaul.mo \
        /etc/systemd/user/default.target.wants/longhaul.service /etc/systemd/user/sockets.target.wants/longhaul.socket; do
        [ -e $file ] || fail "$file is not there"
    done
    # No locale is generated here.
    [[ $(LANG=ko_KR.UTF-8 longhaul help) == *다운로드* ]] || fail "the help is not in Korean"
    [[ $(longhaul help) == *"Download files"* ]] || fail "the help is not in English"
    echo "installed: $login_version, with help in Korean"
}

# What is installed to be read.
reading() {
    local place=/usr/share/doc/longhaul
    /check/documents --check $place || fail "a document of the package leads nowhere"
    [ "$(zcat $place/changelog.gz | grep -c '^  \* ')" -gt 10 ] || fail "the changelog names no changes"
}

using() {
    touch /check/hurry
    new_user ada
    login ada "cd && longhaul --split 1 http://127.0.0.1:8080/film.bin" >/dev/null 2>&1
    whole /home/ada/film.bin || fail "the film is not whole"
    rm /check/hurry /home/ada/film.bin
    login ada "longhaul service start | grep -q 'by systemd'" || fail "a command does not start the service by systemd"
    login ada "longhaul setup --yes" 2>/check/setup || { cat /check/setup; fail "longhaul setup"; }
    grep -q "^Transfers stop at the last logout" /check/setup || { cat /check/setup; fail "it does not say what holds"; }
    grep -q "^Done: loginctl enable-linger" /check/setup || { cat /check/setup; fail "it does not say what it did"; }
    [ -e /var/lib/systemd/linger/ada ] || fail "ada does not linger"
    echo "used: longhaul URL downloads; longhaul setup has the user linger, and says so"
}

# Two commands after the package came: the second one downloads 1 GiB. Then everything is killed, and nobody does anything more.
killing() {
    login ada "cd && longhaul http://127.0.0.1:8080/big.bin" >/dev/null 2>&1 &
    until_true "[ \$(bytes_of ada) -gt 400000000 ]"
    pkill -KILL -u ada longhaul
    touch /check/hurry
    until_true "[ -e /home/ada/big.bin ]"
    whole_gibibyte /home/ada/big.bin || fail "the gibibyte is not whole"
    rm /check/hurry /home/ada/big.bin
    echo "killed: the command and the service, in the middle of 1 GiB; it arrived by itself"
}

# What a menu starts is there, and tells without a terminal that it needs one. The drop-in of the examples is one that works.
hardening() {
    local entry=/usr/share/applications/io.longhaul.Longhaul.desktop place=/home/ada/.config/systemd/user/longhaul.service.d
    login ada "command -v $(sed -n 's/^Exec=\([^ ]*\).*/\1/p' $entry)" >/dev/null || fail "the desktop entry starts nothing"
    login ada "mkdir -p $place && cp /usr/share/doc/longhaul/examples/hardened.conf $place/ && systemctl --user daemon-reload &&
        systemctl --user restart longhaul.service && longhaul service start | grep -q 'by systemd'" ||
        fail "the service does not start with hardened.conf"
    login ada "journalctl --user -u longhaul.service" >/dev/null || fail "the journal of the service cannot be read"
    [ "$(login ada "systemctl --user show -P ProtectSystem longhaul.service")" = full ] || fail "hardened.conf is not heeded"
    touch /check/hurry
    login ada "cd && longhaul --split 1 http://127.0.0.1:8080/film.bin" >/dev/null 2>&1
    whole /home/ada/film.bin || fail "the film is not whole with hardened.conf"
    login ada "rm -r $place && systemctl --user daemon-reload && systemctl --user restart longhaul.service"
    rm /check/hurry /home/ada/film.bin
    echo "hardened: the drop-in of the examples takes more from the service, and a download works all the same"
}

upgrading() {
    new_user bob
    cron bob "longhaul service start" >/dev/null
    local idle busy before
    idle=$(service_of bob)
    begin ada
    busy=$(service_of ada)
    moves ada
    before=$(asked)
    apt install /check/new.deb
    until_true "[ '$program' = \"\$(file_of $idle)\" ]"
    cron bob "longhaul service status" | grep -q "process $idle," || fail "the idle service is another process"
    [ "$(file_of "$busy")" = "$program (deleted)" ] || fail "the busy service was not left in peace: $(file_of "$busy")"
    moves ada
    [ "$(file_of "$busy")" = "$program (deleted)" ] || fail "the busy service was exchanged too soon"
    touch /check/hurry
    until_true "! cron ada 'longhaul list' | grep -q receiving"
    whole /home/ada/film.bin || fail "the film is not whole"
    [ "$(asked)" = "$before" ] || fail "something was asked for twice: $(cat /check/requests)"
    until_true "[ '$program' = \"\$(file_of $busy)\" ]"
    cron ada "longhaul service status" | grep -q "process $busy,.*by systemd" || fail "systemd has lost the service"
    [ "$(systemctl --user --machine ada@ show -P NRestarts longhaul.service)" = 0 ] || fail "the service was restarted"
    rm /check/hurry /home/ada/film.bin
    echo "upgraded: an idle service takes the new program at once; a busy one at the end of its transfer, asked for once"
}

leaving() {
    begin ada
    until_true "[ \$(loginctl show-user ada -P State) = lingering ]"
    moves ada
    echo "logged out: the transfer goes on"
}

rebooted() {
    until_true "[ -n \"\$(service_of ada)\" ]"
    until_true "cron ada 'longhaul list' | grep -q receiving"
    touch /check/hurry
    until_true "! cron ada 'longhaul list' | grep -q receiving"
    whole /home/ada/film.bin || fail "the film is not whole"
    echo "rebooted: the transfer has gone on at boot"
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
    whole /tmp/film.bin || fail "the film is not whole after the package came back"
    echo "removed: the service stops; installed again, its queue goes on"
    apt purge longhaul
    local left
    left=$(find / -xdev \( -path /proc -o -path /check -o -path /home -o -path /root -o -path /var/cache/apt -o -path /var/log \) \
        -prune -o -name '*longhaul*' ! -name longhaul-check.service -print)
    [ -z "$left" ] || fail "purging leaves: $left"
    [ -d /home/ada/.local/state/longhaul ] || fail "the queue of ada is gone"
    echo "purged: nothing is left but the queues of the users"
}

from_the_archive() {
    apt install $1
    new_user eve
    login eve "tar -xzf /check/archive.tar.gz && cd longhaul-* && ./install && ./install" >/check/install 2>&1 ||
        { cat /check/install; fail "the archive cannot be installed"; }
    login eve "cd && PATH=\$HOME/.local/bin:\$PATH && longhaul --split 1 http://127.0.0.1:8080/film.bin >/dev/null && longhaul setup --yes" 2>/check/setup ||
        { cat /check/setup; fail "the archive cannot be used"; }
    whole /home/eve/film.bin || fail "the film is not whole"
    /check/documents --check /home/eve/.local/share/doc/longhaul || fail "a document of the archive leads nowhere"
    grep -q "Transfers continue after logout and start at boot" /check/setup || { cat /check/setup; fail "longhaul setup"; }
    [[ $(login eve "LANG=ko_KR.UTF-8 .local/bin/longhaul help") == *다운로드* ]] || fail "the archive's help is not in Korean"
    login eve ".local/share/longhaul/uninstall" >/dev/null
    until_true "[ -z \"\$(service_of eve)\" ]"
    local left
    left=$(find /home/eve/.local /home/eve/.config -name '*longhaul*' ! -path '*/state/*')
    [ -z "$left" ] || fail "uninstalling leaves: $left"
    echo "the archive: installed by a user, used, set up, and removed"
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
