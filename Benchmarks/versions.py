#!/usr/bin/env python3
"""Measures two versions of Longhaul in alternation: small transfers, queueing, listing, and start-up.

Benchmarks/versions.py OLD NEW [--rounds N] [--case NAME]…

OLD and NEW are directories with the release products of scripts/bench (.build/release of this package): longhaul,
longhauld, and session-probe. nginx sends the files, and the discard-sink of NEW receives them.
"""

import argparse
import os
import shutil
import signal
import socket
import statistics
import subprocess
import tempfile
import threading
import time

SMALL, QUEUED = 20_000, 100_000


class Version:
    """The programs of one version. Both use one home in turn: the cost of small files on ext4 depends on the place of
    their directory on the disk."""

    def __init__(self, programs, place):
        self.programs, self.home, self.process = os.path.abspath(programs), place, None
        self.environment = {
            "PATH": f"{self.programs}:/usr/bin:/bin", "HOME": place, "LANG": "C.UTF-8",
            "XDG_RUNTIME_DIR": f"{place}/run", "XDG_STATE_HOME": f"{place}/state"}

    def call(self, *arguments, program="longhaul"):
        return subprocess.run([f"{self.programs}/{program}", *arguments], env=self.environment, check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stdout

    def clear(self):
        shutil.rmtree(self.home, ignore_errors=True)
        for name in ("run", "state", "out"):
            os.makedirs(f"{self.home}/{name}", 0o700)

    def start(self):
        self.process = subprocess.Popen([f"{self.programs}/longhauld", "--idle-exit", "0"], env=self.environment,
                                        stderr=open(f"{self.home}/log", "a"))
        # The place of the socket differs between versions.
        while not any(os.path.exists(f"{self.home}/{name}/longhaul/socket") for name in ("state", "run")):
            time.sleep(0.005)
        self.call("limits", "--total", "16", "--per-host", "16")

    def end(self):
        self.process.kill()
        self.process.wait()

    def seconds(self, *arguments):
        """Wall time and processor time of the command and the service."""
        def used():
            with open(f"/proc/{self.process.pid}/stat") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        before, children, begin = used(), os.times(), time.monotonic()
        self.call(*arguments)
        wall, after = time.monotonic() - begin, os.times()
        own = after.children_user + after.children_system - children.children_user - children.children_system
        return wall, used() - before + own


class World:
    def __init__(self, place, sink):
        self.place = place
        os.makedirs(f"{place}/www/small")
        body = os.urandom(16384)
        self.names = [f"{number:05}.bin" for number in range(SMALL)]
        for name in self.names:
            with open(f"{place}/www/small/{name}", "wb") as file:
                file.write(body)
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        with open(f"{place}/nginx.conf", "w") as file:
            file.write(f"""daemon off; pid {place}/nginx.pid; worker_processes 1; worker_rlimit_nofile 65536;
                {'user root;' if os.geteuid() == 0 else ''}
                events {{ worker_connections 16384; }}
                http {{ access_log off; sendfile on; tcp_nopush on; keepalive_requests 10000000; keepalive_timeout 300s;
                default_type application/octet-stream; root {place}/www; client_body_temp_path {place}/body;
                proxy_temp_path {place}/proxy; fastcgi_temp_path {place}/fcgi; uwsgi_temp_path {place}/uwsgi;
                scgi_temp_path {place}/scgi; server {{ listen 127.0.0.1:{port} backlog=4096; }} }}""")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-keyout",
                        f"{place}/key.pem", "-out", f"{place}/cert.pem"], check=True, capture_output=True)
        self.servers = [
            subprocess.Popen(["/usr/sbin/nginx", "-p", place, "-c", f"{place}/nginx.conf", "-e", f"{place}/nginx.log"]),
            subprocess.Popen([sink, f"{place}/ports", f"{place}/cert.pem", f"{place}/key.pem", f"{place}/sink.log"])]
        while not (os.path.exists(f"{place}/ports") and open(f"{place}/ports").read().endswith("\n")):
            time.sleep(0.02)
        self.sink = f"http://127.0.0.1:{open(f'{place}/ports').read().split()[0]}/up/"
        self.silent = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.accepted = []
        threading.Thread(target=self.accept, daemon=True).start()
        quiet = f"http://127.0.0.1:{self.silent.getsockname()[1]}"
        self.list("wanted", [f"http://127.0.0.1:{port}/small/{name}" for name in self.names])
        self.list("queue", [f"{quiet}/f{number}" for number in range(QUEUED)])
        self.files = [f"{place}/www/small/{name}" for name in self.names]

    def accept(self):
        while True:
            self.accepted.append(self.silent.accept()[0])

    def list(self, name, lines):
        with open(f"{self.place}/{name}", "w") as file:
            file.write("".join(line + "\n" for line in lines))


def settle():
    """Waits until no written page waits for the disk."""
    os.sync()
    time.sleep(0.5)


def small_down(version, world):
    out = tempfile.mkdtemp(dir=f"{version.home}/out")
    result = version.seconds("download", "-q", "-d", out, "-i", f"{world.place}/wanted")
    assert len(os.listdir(out)) == SMALL
    return {"small downloads": result[0], "small downloads, processor": result[1]}


def small_up(version, world):
    result = version.seconds("upload", "-q", *world.files, world.sink)
    return {"small uploads": result[0], "small uploads, processor": result[1]}


def queueing(version, world):
    result = version.seconds("download", "-q", "-b", "-d", f"{version.home}/out", "-i", f"{world.place}/queue")
    pages = [float(line.split()[0]) for line in version.call("page", program="session-probe").splitlines()]
    listings = []
    for _ in range(5):
        begin = time.monotonic()
        version.call("list", "--json")
        listings.append(time.monotonic() - begin)
    return {"queueing": result[0], "queueing, processor": result[1], "a page of 1000": statistics.median(pages),
            "longhaul list --json, 100 000": statistics.median(listings)}


def start_up(version, world):
    times = []
    for _ in range(7):
        elapsed, service = version.call("start", program="session-probe").split()[:2]
        times.append(float(elapsed))
        while os.path.exists(f"/proc/{int(float(service))}"):
            time.sleep(0.02)
    return {"start-up": statistics.median(times)}


CASES = {"small-down": small_down, "small-up": small_up, "queueing": queueing, "start-up": start_up}


def measure(version, world, case):
    version.clear()
    settle()
    if case is start_up:
        return case(version, world)
    version.start()
    try:
        return case(version, world)
    finally:
        version.end()
        for connection in world.accepted:
            connection.close()
        world.accepted.clear()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--case", action="append", choices=CASES)
    options = parser.parse_args()
    place = tempfile.mkdtemp(prefix="longhaul-versions.", dir=os.environ.get("TMPDIR", "/var/tmp"))
    world = World(place, f"{options.new}/discard-sink")
    try:
        versions = [Version(programs, f"{place}/home") for programs in (options.old, options.new)]
        print(f"{'median of the rounds, in ms':34} {'old':>9} {'new':>9}  new / old within a round", flush=True)
        for name in options.case or CASES:
            rounds = []
            for number in range(options.rounds):
                order = (0, 1) if number % 2 == 0 else (1, 0)
                results = {index: measure(versions[index], world, CASES[name]) for index in order}
                rounds.append((results[0], results[1]))
            for key in rounds[0][0]:
                old, new = [[entry[side][key] for entry in rounds] for side in (0, 1)]
                ratios = [second / first for first, second in zip(old, new)]
                print(f"{key:34} {statistics.median(old) * 1000:9.1f} {statistics.median(new) * 1000:9.1f}  "
                      f"{statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})", flush=True)
    finally:
        for server in world.servers:
            server.send_signal(signal.SIGTERM)
            server.wait()
        shutil.rmtree(place)


main()
