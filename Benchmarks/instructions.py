#!/usr/bin/env python3
"""Counts the user instructions and system calls of the release programs, under callgrind.

scripts/bench --instructions [--case NAME]... [--profile DIRECTORY]
scripts/bench --instructions --renew       writes the counts to Benchmarks/instructions.json
scripts/bench --instructions --selftest    plants counts that are too large

Each count is compared with Benchmarks/instructions.json, and fails if it is more than 3 % larger. --profile keeps the
files of callgrind, for callgrind_annotate.

A count must not depend on the speed or the load of the machine. All files are in /dev/shm. The server answers a batch of
requests when all of them have arrived. The service runs on one processor, and its clock is slow (slow-clock.c).
"""

import argparse
import glob
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
FILE = f"{HERE}/instructions.json"
SMALL, BATCH, QUEUED, PAGE = 500, 25, 2_000, 1_000
BODY = bytes(range(256)) * 64
LIMIT = 0.03
# A few system calls more are no growth.
SPARE = {"instructions": 0, "system calls": 10}
# callgrind slows a program by about this factor.
SLOWNESS = 20
# The system calls that are counted. The others wait, wake, sync, allocate memory, or move bytes: the order of threads decides how
# many of them are needed.
COUNTED = re.compile(
    r"^_*(open|fstatat|stat|lstat|fstat|statx|access|close|link|unlink|rename|mkdir|rmdir|[fl]?(get|set|remove)xattr|ftruncate"
    r"|fallocate|getdents|socket|connect|bind|listen|(get|set)sock(opt|name)|epoll_ctl|fchmod|chmod)")


class Gate:
    """An HTTP server that answers a batch of requests when all of them have arrived."""

    def __init__(self):
        self.lock, self.left, self.waiting, self.done = threading.Lock(), SMALL, [], threading.Event()
        self.service = None
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.address = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            threading.Thread(target=self.serve, args=[self.socket.accept()[0]], daemon=True).start()

    def serve(self, connection):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with connection, connection.makefile("rb") as stream:
            while line := stream.readline():
                length = 0
                while (field := stream.readline()) not in (b"\r\n", b""):
                    if field.lower().startswith(b"content-length:"):
                        length = int(field.split(b":")[1])
                stream.read(length)
                body = BODY if line.startswith(b"GET") else b""
                self.hold(connection, b'HTTP/1.1 200 OK\r\nETag: "1"\r\nContent-Length: %d\r\n\r\n' % len(body) + body)

    def hold(self, connection, response):
        with self.lock:
            self.waiting.append((connection, response))
            if len(self.waiting) < BATCH:
                return
            # The service sees the whole batch at once.
            os.kill(self.service, signal.SIGSTOP)
            for connection, response in self.waiting:
                connection.sendall(response)
            os.kill(self.service, signal.SIGCONT)
            self.left -= len(self.waiting)
            self.waiting.clear()
            if self.left == 0:
                self.done.set()


class Counts:
    """User instructions, and the system calls in COUNTED."""

    def __init__(self, instructions=0, calls=0):
        self.instructions, self.calls = instructions, calls

    def __sub__(self, other):
        return Counts(self.instructions - other.instructions, self.calls - other.calls)

    def fields(self):
        return {"instructions": self.instructions, "system calls": self.calls}

    @classmethod
    def read(cls, profile):
        """Reads callgrind's file: https://valgrind.org/docs/manual/cl-format.html"""
        counts, names, function, is_inclusive = cls(), {}, "", False
        with open(profile) as file:
            for line in file:
                if match := re.match(r"c?fn=\((\d+)\)(?: (.*))?", line):
                    names.setdefault(match[1], match[2])
                    function = names[match[1]] if line.startswith("fn=") else function
                elif line.startswith("calls="):
                    # The next line has the cost of the called function.
                    is_inclusive = True
                elif re.match(r"[-+*\d]", line):
                    costs = [int(word) for word in line.split()[1:]]
                    if not is_inclusive:
                        counts.instructions += costs[0]
                        counts.calls += costs[1] if len(costs) > 1 and COUNTED.match(function) else 0
                    is_inclusive = False
        return counts


class World:
    """A home in memory, and programs without debug information, which callgrind of Debian 12 cannot read."""

    def __init__(self, programs, place, profiles):
        self.place, self.profiles = place, profiles
        self.environment = {
            "PATH": f"{place}/programs:/usr/bin:/bin", "HOME": place, "LANG": "C.UTF-8", "TMPDIR": place,
            "XDG_RUNTIME_DIR": f"{place}/run", "XDG_STATE_HOME": f"{place}/state", "SWIFT_DETERMINISTIC_HASHING": "1"}
        for name in ("run", "programs", "files"):
            os.mkdir(f"{place}/{name}", 0o700)
        for name in ("longhaul", "longhauld"):
            subprocess.run(["objcopy", "--strip-debug", f"{programs}/{name}", f"{place}/programs/{name}"], check=True)
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", f"{place}/slow-clock.so", f"{HERE}/slow-clock.c"], check=True)
        for number in range(SMALL):
            with open(f"{place}/files/{number}", "wb") as file:
                file.write(BODY)

    def counted(self, name, *arguments):
        """The command line of a program under callgrind, and the file of its counts."""
        profile = f"{self.profiles}/{len(os.listdir(self.profiles)):02}-{name}"
        return ["valgrind", "--tool=callgrind", "--fair-sched=yes", "--collect-systime=yes", f"--callgrind-out-file={profile}",
                "--quiet", f"{self.place}/programs/{name}", *arguments], profile

    def call(self, *arguments):
        self.wait_for([f"{self.place}/programs/longhaul", *arguments])

    def wait_for(self, command):
        subprocess.run(command, env=self.environment, check=True, stdout=subprocess.DEVNULL, timeout=300)

    def run(self, *arguments, counts_command=True, gate=None):
        """Starts the service, runs one command, waits for the transfers of the gate, and stops the service. Returns the
        counts of the service and of the command."""
        command, service_profile = self.counted("longhauld", "--idle-exit", "0")
        slow = {**self.environment, "LD_PRELOAD": f"{self.place}/slow-clock.so", "SLOW_CLOCK": str(SLOWNESS)}
        with open(f"{self.place}/log", "a") as log:
            service = subprocess.Popen(command, env=slow, stderr=log, preexec_fn=run_on_one_processor)
        try:
            while not os.path.exists(f"{self.place}/state/longhaul/socket"):
                if service.poll() is not None:
                    sys.exit(f"longhauld exited with status {service.returncode}: {open(f'{self.place}/log').read()}")
                time.sleep(0.02)
            if gate:
                gate.service = service.pid
                self.call("limits", "--total", str(BATCH), "--per-host", str(BATCH))
            counts = Counts()
            if counts_command:
                command, profile = self.counted("longhaul", *arguments)
                self.wait_for(command)
                counts = Counts.read(profile)
            else:
                self.call(*arguments)
            if gate:
                if not gate.done.wait(120):
                    sys.exit(f"{gate.left} requests did not arrive in two minutes")
                rest(service)
            self.call("service", "stop")
            service.wait(60)
        finally:
            service.kill()
            service.wait()
        return Counts.read(service_profile), counts

    def clear(self):
        for name in ("state", "out"):
            shutil.rmtree(f"{self.place}/{name}", ignore_errors=True)
        os.mkdir(f"{self.place}/out")

    def list(self, lines):
        with open(f"{self.place}/list", "w") as file:
            file.write("".join(line + "\n" for line in lines))
        return f"{self.place}/list"


def run_on_one_processor():
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def rest(process):
    """Waits until no thread of a process has run for a second. A request to the service would count."""
    quiet = 0
    while quiet < 20:
        time.sleep(0.05)
        states = [open(path).read().rsplit(")", 1)[1].split()[0] for path in glob.glob(f"/proc/{process.pid}/task/*/stat")]
        quiet = quiet + 1 if set(states) == {"S"} else 0


def start_up(world):
    """Until the service has given its first response."""
    world.clear()
    return {"start-up": world.run("service", "status", counts_command=False)[0]}


def small_downloads(world):
    world.clear()
    gate = Gate()
    urls = world.list(f"{gate.address}/{number}" for number in range(SMALL))
    service, command = world.run("download", "-q", "-b", "-d", f"{world.place}/out", "-i", urls, gate=gate)
    if len(os.listdir(f"{world.place}/out")) != SMALL:
        sys.exit("some downloads are missing")
    return {"500 small downloads, service": service, "500 small downloads, command": command}


def small_uploads(world):
    world.clear()
    gate = Gate()
    files = [f"{world.place}/files/{number}" for number in range(SMALL)]
    service, command = world.run("upload", "-q", "-b", *files, f"{gate.address}/", gate=gate)
    return {"500 small uploads, service": service, "500 small uploads, command": command}


def queue(world):
    """Transfers that wait for their start time. The counts of the lists do not contain the start of the service."""
    world.clear()
    urls = world.list(f"http://127.0.0.1:9/{number}" for number in range(QUEUED))
    service, command = world.run("download", "-q", "-b", "--not-before", "2099-01-01", "-d", f"{world.place}/out", "-i", urls)
    started, _ = world.run("service", "status", counts_command=False)
    listing, listing_command = world.run("list", "--json")
    page, _ = world.run("list", "--json", "-n", str(PAGE), counts_command=False)
    return {"2000 queued, service": service, "2000 queued, command": command, "list of 2000, service": listing - started,
            "list of 2000, command": listing_command, "page of 1000, service": page - started}


CASES = {"start": start_up, "small-down": small_downloads, "small-up": small_uploads, "queue": queue}


def versions():
    """The other causes of different counts. Counts of other versions are not compared."""
    def first_line(*command):
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0].strip()
    packages = ["libc6", "libcurl4", "libsqlite3-0", "libssl3", "valgrind"]
    listed = subprocess.run(["dpkg-query", "-W", "-f", "${Package} ${Version}\n", *packages], capture_output=True, text=True)
    return {"swift": first_line("swiftc", "--version"), "processors": os.cpu_count(),
            **dict(line.split() for line in listed.stdout.splitlines())}


def excess(found, known):
    """Returns a line for each count that is too large or unknown."""
    faults = []
    for name, counts in found.items():
        for kind, value in counts.items():
            before = known.get(name, {}).get(kind)
            if before is None:
                faults.append(f"{name}: {kind} are not in {os.path.basename(FILE)}; --renew writes them")
            elif value > before * (1 + LIMIT) + SPARE[kind]:
                faults.append(f"{name}: {value:,} {kind}, {before:,} before: {value / before - 1:+.1%}, {LIMIT:.0%} allowed")
    return faults


def selftest():
    known = {"case": {"instructions": 1000, "system calls": 100}}
    samples = [("case", (1029, 113), 0), ("case", (1031, 100), 1), ("case", (1000, 114), 1), ("new", (1, 1), 2)]
    return all(
        len(excess({name: dict(zip(known["case"], values))}, known)) == count for name, values, count in samples)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="?", help="the directory of longhaul and longhauld")
    parser.add_argument("--case", action="append", choices=CASES)
    parser.add_argument("--renew", action="store_true")
    parser.add_argument("--selftest", action="store_true")
    parser.add_argument("--profile", metavar="DIRECTORY")
    options = parser.parse_args()
    if options.selftest:
        sys.exit(0 if selftest() else "a planted excess was not found")
    if not os.path.exists(f"{options.programs}/longhauld"):
        parser.error(f"there is no longhauld in {options.programs}; scripts/bench --instructions builds it")
    has_memory = os.path.isdir("/dev/shm") and shutil.disk_usage("/dev/shm").free > 512 << 20
    place = tempfile.mkdtemp(prefix="longhaul-instructions.", dir="/dev/shm" if has_memory else None)
    profiles = os.path.abspath(options.profile or f"{place}/profiles")
    os.makedirs(profiles, exist_ok=True)
    found = {}
    try:
        world = World(options.programs, place, profiles)
        for name in options.case or CASES:
            begin = time.monotonic()
            for key, counts in CASES[name](world).items():
                found[key] = counts.fields()
                print(f"{key:30} {counts.instructions:13,} instructions {counts.calls:8,} system calls", flush=True)
            print(f"{name}: {time.monotonic() - begin:.0f} s", flush=True)
    finally:
        shutil.rmtree(place)
    with open(FILE) as file:
        known = json.load(file)
    if options.renew:
        with open(FILE, "w") as file:
            json.dump({"versions": versions(), "counts": {**known["counts"], **found}}, file, indent=4)
            file.write("\n")
        return 0
    if versions() != known["versions"]:
        print(f"not compared: the known counts are from {known['versions']}, and this machine has {versions()}")
        return 0
    failed = excess(found, known["counts"])
    print("\n".join(failed) or "ok: no count is more than 3 % larger")
    return 1 if failed else 0


sys.exit(main())
