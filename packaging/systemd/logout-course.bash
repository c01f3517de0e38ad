#!/bin/bash
# Runs in the container of check-logout, as root, once for each boot.
. /check/course.bash

has_left() { ! pgrep -u "$1" -x systemd >/dev/null && [ ! -e "/run/user/$(id -u "$1")" ]; }
with_units() {
    local units=/home/$1/.config/systemd/user
    mkdir -p "$units"/{default,sockets}.target.wants
    cp /check/units/* "$units"
    chown -R "$1:$1" "/home/$1/.config"
}
enabled() {
    local units=/home/$1/.config/systemd/user
    ln -s ../longhaul.service "$units/default.target.wants/"
    ln -s ../longhaul.socket "$units/sockets.target.wants/"
}

# With the units, without linger: it stops with the user manager and goes on at the next login.
units_alone() {
    new_user anna
    with_units anna
    enabled anna
    begin anna
    until_true "has_left anna"
    [ -z "$(service_of anna)" ] || fail "the service outlives the user manager"
    # It goes on by itself: nothing is asked before a second has passed.
    login anna "sleep 1; for i in \$(seq 1000); do longhaul list | grep -q receiving && break; sleep 0.1; done
        longhaul list | grep -q receiving && longhaul service status | grep -q 'by systemd'" ||
        fail "it does not go on at login"
    until_true "has_left anna"
    echo "units, no linger: stops at the last logout, goes on at the next login"
}

# With the units and linger: it goes on, and is found without a login.
units_and_linger() {
    new_user bert
    with_units bert
    enabled bert
    loginctl enable-linger bert
    until_true "[ -S /run/user/$(id -u bert)/longhaul/socket ]"
    begin bert
    local service
    service=$(service_of bert)
    [ -n "$service" ] || fail "no service runs"
    until_true "! loginctl list-sessions --no-legend | grep -q bert"
    sleep 2
    [ "$(service_of bert)" = "$service" ] || fail "the service did not outlive the logout"
    [ "$(answering bert)" = "$service" ] || fail "cron does not find the service"
    moves bert
    echo "units, linger: goes on after the last logout"

    rm -rf "/run/user/$(id -u bert)/longhaul"
    [ "$(answering bert)" = "$service" ] || fail "the service is lost with the runtime directory"
    cron bert "longhaul service stop"
    until_true "! kill -0 $service"
    cron bert "longhaul list | grep -q film.bin" || fail "no service starts without the runtime directory"
    cron bert "longhaul service status | grep -q 'by systemd'" || fail "systemd did not start it again"
    [ -S "/run/user/$(id -u bert)/longhaul/socket" ] || fail "systemd's socket is not made again"
    echo "units, linger: a lost runtime directory is made again"
}

# With the units installed and not enabled: a command has systemd start the service, a login does not.
units_not_enabled() {
    new_user emil
    with_units emil
    begin emil
    until_true "has_left emil"
    [ -z "$(service_of emil)" ] || fail "the service outlives the user manager"
    login emil "sleep 1; pgrep -u emil -x longhauld" && fail "a login starts what is not enabled"
    login emil "longhaul service start | grep -q 'by systemd'" || fail "a command does not start it by systemd"
    until_true "has_left emil"
    echo "units not enabled, no linger: stops at the last logout, goes on at the next command"

    loginctl enable-linger emil
    until_true "[ -S /run/user/$(id -u emil)/systemd/private ]"
    cron emil "longhaul service start | grep -q 'by systemd'" || fail "cron does not start it by systemd"
    local service
    service=$(service_of emil)
    login emil "true"
    sleep 2
    [ "$(service_of emil)" = "$service" ] || fail "the service did not outlive the logout"
    echo "units not enabled, linger: goes on after the last logout"
}

# Without units: the service of a command is left behind in the session that ends. logind keeps that session, as
# closing, and with it the user's manager and runtime directory, for as long as the service runs.
no_units() {
    new_user carl
    begin carl
    local service
    service=$(service_of carl)
    [ -n "$service" ] || fail "no service runs"
    until_true "loginctl show-user carl -P State | grep -q closing"
    sleep 2
    [ "$(service_of carl)" = "$service" ] || fail "the service did not outlive the logout"
    [ "$(answering carl)" = "$service" ] || fail "cron does not find the service"
    login carl "longhaul service status" | grep -q "process $service," || fail "the next login does not find the service"
    moves carl
    echo "no units, no linger: goes on after the last logout, and is found"
}

# The same, where the command ran in what the user's systemd had started: as terminals of desktops do.
in_a_desktop() {
    new_user gina
    login gina "systemd-run --user --scope -q longhaul download --split 1 --detach http://127.0.0.1:8080/film.bin >/dev/null 2>&1"
    [ -n "$(service_of gina)" ] || fail "no service runs"
    until_true "has_left gina"
    [ -z "$(service_of gina)" ] || fail "the service outlives the user manager"
    cron gina "longhaul list | grep -q film.bin" || fail "the next command does not start it again"
    echo "no units, no linger, from a desktop: ends at the last logout, goes on at the next command"
}

# A service that cron has started uses the runtime directory of a login, and logind removes that at the logout.
from_cron() {
    new_user frank
    local service runtime
    runtime=/run/user/$(id -u frank)
    login frank "touch /home/frank/is-in; until [ -e /home/frank/may-go ]; do sleep 0.1; done" &
    until_true "[ -e /home/frank/is-in ]"
    cron frank "cd && longhaul download --split 1 --detach http://127.0.0.1:8080/film.bin >/dev/null 2>&1"
    service=$(service_of frank)
    tr '\0' '\n' < "/proc/$service/environ" | grep -qx "XDG_RUNTIME_DIR=$runtime" ||
        fail "the service does not know the runtime directory"
    touch /home/frank/may-go
    wait $!
    until_true "has_left frank"
    [ "$(service_of frank)" = "$service" ] || fail "the service did not outlive the logout"
    [ "$(answering frank)" = "$service" ] || fail "cron does not find the service"
    login frank "longhaul service status" | grep -q "process $service," || fail "the next login does not find the service"
    moves frank
    echo "from cron: goes on when logind has removed the runtime directory, and is found"
}

# Without units, where logind ends what a session leaves behind.
no_units_killed() {
    new_user dora
    printf '[Login]\nKillUserProcesses=yes\n' > /etc/systemd/logind.conf.d/kill.conf
    systemctl restart systemd-logind
    begin dora
    until_true "has_left dora"
    until_true "[ -z \"\$(service_of dora)\" ]"
    cron dora "longhaul list | grep -q film.bin" || fail "the next command does not start it again"
    until_true "cron dora 'longhaul list' | grep -q receiving"
    rm /etc/systemd/logind.conf.d/kill.conf
    systemctl restart systemd-logind
    echo "no units, KillUserProcesses=yes: ends at logout, goes on at the next command"
}

after_reboot() {
    until_true "[ -n \"\$(service_of bert)\" ]"
    until_true "cron bert 'longhaul list' | grep -q receiving"
    echo "units, linger: goes on at boot"
    [ -z "$(service_of emil)" ] || fail "a boot starts what is not enabled"
    for user in anna carl dora frank gina; do
        [ -z "$(service_of $user)" ] || fail "a service of $user runs"
    done
    cron carl "longhaul list | grep -q film.bin"
    [ -n "$(service_of carl)" ] || fail "a command does not start it"
    touch /check/hurry
    until_true "cron carl 'longhaul list' | grep -q succeeded"
    cmp /home/carl/film.bin <(curl -s http://127.0.0.1:8080/) || fail "the film is not whole"
    login anna "longhaul watch >/dev/null 2>&1"
    cmp /home/anna/film.bin /home/carl/film.bin || fail "the film of anna is not whole"
    echo "others: go on at the next login or command"
}

start_server
if [ "$boot" = 1 ]; then
    units_alone
    units_and_linger
    units_not_enabled
    no_units
    in_a_desktop
    from_cron
    no_units_killed
else
    after_reboot
fi
echo "$boot" > /check/status
