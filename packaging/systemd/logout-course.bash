#!/bin/bash
# The tests of check-logout, which run in the container as root, once per boot.
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

# Units, no lingering: the service stops with the user manager, and resumes its transfers at the next login.
units_alone() {
    new_user anna
    with_units anna
    enabled anna
    begin anna
    until_true "has_left anna"
    [ -z "$(service_of anna)" ] || fail "the service outlives the user manager"
    # The login starts the service. The first command, which could start it too, comes a second later.
    login anna "sleep 1; for i in \$(seq 1000); do longhaul list | grep -q receiving && break; sleep 0.1; done
        longhaul list | grep -q receiving && longhaul service status | grep -q 'by systemd'" ||
        fail "the transfer does not resume at login"
    until_true "has_left anna"
    echo "units, no lingering: stops at the last logout, resumes at the next login"
}

# Units and lingering: the transfer continues, and programs without a login find the service.
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
    echo "units, lingering: continues after the last logout"

    rm -rf "/run/user/$(id -u bert)/longhaul"
    [ "$(answering bert)" = "$service" ] || fail "cron does not find the service without the runtime directory"
    cron bert "longhaul service stop"
    until_true "! kill -0 $service"
    cron bert "longhaul list | grep -q film.bin" || fail "no service starts without the runtime directory"
    cron bert "longhaul service status | grep -q 'by systemd'" || fail "systemd did not restart the service"
    [ -S "/run/user/$(id -u bert)/longhaul/socket" ] || fail "systemd did not create its socket again"
    echo "units, lingering: systemd creates a lost runtime directory again"
}

# Units that are not enabled: a command starts the service by systemd, a login does not.
units_not_enabled() {
    new_user emil
    with_units emil
    begin emil
    until_true "has_left emil"
    [ -z "$(service_of emil)" ] || fail "the service outlives the user manager"
    login emil "sleep 1; pgrep -u emil -x longhauld" && fail "a login starts a unit that is not enabled"
    login emil "longhaul service start | grep -q 'by systemd'" || fail "a command starts the service without systemd"
    until_true "has_left emil"
    echo "units not enabled, no lingering: stops at the last logout, resumes at the next command"

    loginctl enable-linger emil
    until_true "[ -S /run/user/$(id -u emil)/systemd/private ]"
    cron emil "longhaul service start | grep -q 'by systemd'" || fail "cron starts the service without systemd"
    local service
    service=$(service_of emil)
    login emil "true"
    sleep 2
    [ "$(service_of emil)" = "$service" ] || fail "the service did not outlive the logout"
    echo "units not enabled, lingering: continues after the last logout"
}

# No units: a command starts the service in its login session. As long as the service runs, logind keeps the session in
# state "closing", and with it the user manager and the runtime directory.
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
    echo "no units, no lingering: continues after the last logout; commands find the service"
}

# No units, and a command in a unit of the user manager, such as a terminal of a desktop.
in_a_desktop() {
    new_user gina
    login gina "systemd-run --user --scope -q longhaul download --split 1 --detach http://127.0.0.1:8080/film.bin >/dev/null 2>&1"
    [ -n "$(service_of gina)" ] || fail "no service runs"
    until_true "has_left gina"
    [ -z "$(service_of gina)" ] || fail "the service outlives the user manager"
    cron gina "longhaul list | grep -q film.bin" || fail "the next command does not start the service"
    echo "no units, no lingering, from a desktop: stops at the last logout, resumes at the next command"
}

# cron starts the service, which uses the runtime directory of a login. logind removes that directory at logout.
from_cron() {
    new_user frank
    local service runtime
    runtime=/run/user/$(id -u frank)
    login frank "touch /home/frank/is-in; until [ -e /home/frank/may-go ]; do sleep 0.1; done" &
    until_true "[ -e /home/frank/is-in ]"
    cron frank "cd && longhaul download --split 1 --detach http://127.0.0.1:8080/film.bin >/dev/null 2>&1"
    service=$(service_of frank)
    tr '\0' '\n' < "/proc/$service/environ" | grep -qx "XDG_RUNTIME_DIR=$runtime" ||
        fail "the service does not use the runtime directory"
    touch /home/frank/may-go
    wait $!
    until_true "has_left frank"
    [ "$(service_of frank)" = "$service" ] || fail "the service did not outlive the logout"
    [ "$(answering frank)" = "$service" ] || fail "cron does not find the service"
    login frank "longhaul service status" | grep -q "process $service," || fail "the next login does not find the service"
    moves frank
    echo "from cron: continues after logind removed the runtime directory; commands find the service"
}

# No units, and logind kills the remaining processes of a session.
no_units_killed() {
    new_user dora
    printf '[Login]\nKillUserProcesses=yes\n' > /etc/systemd/logind.conf.d/kill.conf
    systemctl restart systemd-logind
    begin dora
    until_true "has_left dora"
    until_true "[ -z \"\$(service_of dora)\" ]"
    cron dora "longhaul list | grep -q film.bin" || fail "the next command does not start the service"
    until_true "cron dora 'longhaul list' | grep -q receiving"
    rm /etc/systemd/logind.conf.d/kill.conf
    systemctl restart systemd-logind
    echo "no units, KillUserProcesses=yes: stops at logout, resumes at the next command"
}

after_reboot() {
    until_true "[ -n \"\$(service_of bert)\" ]"
    until_true "cron bert 'longhaul list' | grep -q receiving"
    echo "units, lingering: resumes at boot"
    [ -z "$(service_of emil)" ] || fail "a boot starts a unit that is not enabled"
    for user in anna carl dora frank gina; do
        [ -z "$(service_of $user)" ] || fail "a boot starts the service of $user"
    done
    cron carl "longhaul list | grep -q film.bin"
    [ -n "$(service_of carl)" ] || fail "a command does not start the service"
    touch /check/hurry
    until_true "cron carl 'longhaul list' | grep -q succeeded"
    cmp /home/carl/film.bin <(curl -s http://127.0.0.1:8080/) || fail "film.bin of carl is incomplete"
    login anna "longhaul watch >/dev/null 2>&1"
    cmp /home/anna/film.bin /home/carl/film.bin || fail "film.bin of anna is incomplete"
    echo "others: resume at the next login or command"
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
