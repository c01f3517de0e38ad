"""Downloads from the servers of hostile_servers.py, and their verdicts, for scripts/storm --servers."""

import collections
import concurrent.futures
import dataclasses
import json
import os
import random
import re
import socket
import subprocess
import sys
import threading
import time

import hostile_servers
from storm_home import StormHome, digest

TRANSPORTS = {"http1": "HTTP/1.1", "http2": "TLS HTTP/2"}
# How many downloads run at a time.
WIDTH = 8
# A command that takes longer hangs.
SECONDS = 150
COLUMNS = ("runs", "hostile", "good", "failed", "saved by retry", "lost", "wrong", "hung")
BAD = ("lost", "wrong", "hung")
# The requests of so many bad runs of a mode are printed, and so many requests of each.
REPORTS, REQUESTS = 2, 20


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as holder:
        return holder.getsockname()[1]


def wait_for_port(port, process):
    while process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            time.sleep(0.05)
    sys.exit(f"error: {process.args[0]} does not start")


def last_line(text):
    return ([""] + text.strip().splitlines())[-1]


@dataclasses.dataclass
class Download:
    """One run: a download, and the judgement of the file that it leaves."""

    name: str
    variant: str
    path: str
    url: str
    options: list
    # The digests of the files that count as right.
    right: set
    # Has `is_right`, `hostile`, and `log`.
    server: object

    def is_file_right(self):
        return os.path.exists(self.path) and digest(self.path) in self.right


class HostileStorm(StormHome):
    def __init__(self, options):
        super().__init__(options.programs, ())
        self.options = options
        self.lock = threading.Lock()

    # Servers

    def start(self, transports):
        self.make_certificate()
        self.server = hostile_servers.Server()
        self.authorities = {"http1": f"http://localhost:{self.server.server_port}"}
        if "http2" in transports:
            self.start_front()
        result = self.longhaul("limits", "--total", "100", "--per-host", "400", "--streams", "400")
        if result.returncode != 0:
            sys.exit(f"error: limits: {result.stderr}")

    def start_front(self):
        """nghttpx speaks HTTP/2, opens a connection to the server for each stream, and buffers as little as it can."""
        port = free_port()
        self.authorities["http2"] = f"https://localhost:{port}"
        front = subprocess.Popen([
            "/usr/sbin/nghttpx", "--conf=/dev/null", "--single-process", "--no-ocsp", "--no-via",
            f"--errorlog-file={self.path('front.log')}", f"-f127.0.0.1,{port}",
            f"-b127.0.0.1,{self.server.server_port}", "--backend-response-buffer=16K", "--backend-read-timeout=1h",
            "--frontend-http2-max-concurrent-streams=1000", "--stream-write-timeout=1h",
            self.path("key.pem"), self.path("cert.pem")], stderr=subprocess.DEVNULL)
        self.servers.append(front)
        wait_for_port(port, front)
        self.check_front()

    def check_front(self):
        """The front speaks HTTP/2, and a response that the server cuts does not look complete."""
        chance = random.Random(0)
        source = hostile_servers.Source(
            hostile_servers.MODES["slices"], "range and tag", [hostile_servers.Version(bytes(1_000_000))], chance, 1e8)
        self.server.sources["/front"] = source
        for expected in ("2 18", "2 92"), ("2 0",):
            result = subprocess.run(
                ["curl", "--http2", "--silent", "--cacert", self.path("cert.pem"), "--output", "/dev/null",
                 "--write-out", "%{http_version} %{exitcode}", self.authorities["http2"] + "/front"],
                stdout=subprocess.PIPE, text=True)
            if result.stdout not in expected:
                sys.exit(f"error: nghttpx: curl reports {result.stdout}, not {' or '.join(expected)}")

    # Runs

    def run_mode(self, name, transport):
        prepare = self.prepare_late if name == "late" else self.prepare
        begin, row = time.monotonic(), collections.Counter(runs=self.options.runs)

        def run(number):
            chance = random.Random(f"{self.options.seed} {name} {transport} {number}")
            download = prepare(name, transport, number, chance)
            verdict, message = self.judge(download)
            with self.lock:
                row.update(verdict)
                row["hostile"] += download.server.hostile > 0
                if set(verdict) & set(BAD):
                    row["bad"] += 1
                    self.print_bad(name, transport, download, verdict, message, with_requests=row["bad"] <= REPORTS)
                elif "failed" in verdict:
                    message = re.sub(r":\d{4,5}\b", "", message.replace(download.name, "FILE"))
                    message = re.sub(r"\b[0-9a-f]{8}\b", "ID", message)
                    self.messages[name, transport, download.variant, message] += 1
            self.release(download)

        with concurrent.futures.ThreadPoolExecutor(WIDTH) as pool:
            list(pool.map(run, range(self.options.runs)))
        row["seconds"] = round(time.monotonic() - begin)
        return row

    def options_of(self, transport, name, split):
        options = ["--key", name, "--retry", "5"]
        if transport == "http2":
            options += ["--cacert", self.path("cert.pem")]
        return options + (["--split", str(split)] if split else [])

    def prepare(self, name, transport, number, chance):
        mode = hostile_servers.MODES[name]
        variant = mode.variants[number % len(mode.variants)]
        split = mode.splits[number // len(mode.variants) % len(mode.splits)]
        # Without --split, the program opens further connections only if the download takes a few seconds.
        size = chance.randrange(*((6_000_000, 14_000_000) if split else (14_000_000, 24_000_000)))
        versions = [hostile_servers.Version(chance.randbytes(size)) for _ in range(mode.versions)]
        source = hostile_servers.Source(mode, variant, versions, chance, chance.uniform(2e6, 4e6))
        file = f"{name}-{transport}-{number}.bin"
        self.server.sources[f"/{file}"] = source
        return Download(
            file, f"{variant or name}, --split {split or 'auto'}", self.path("downloads", file),
            f"{self.authorities[transport]}/{file}", self.options_of(transport, file, split),
            {versions[index].digest for index in mode.acceptable}, source)

    def prepare_late(self, name, transport, number, chance):
        """Before the download, another one uses the connection on which the late bytes arrive."""
        variants = hostile_servers.LateServer.variants
        variant = variants[number % len(variants)]
        contents = {"/first": chance.randbytes(5), "/second": chance.randbytes(chance.choice((5, 1000, 3_000_000)))}
        server = hostile_servers.LateServer(variant, contents)
        url, file = f"http://localhost:{server.port}", f"{name}-{transport}-{number}.bin"
        self.longhaul("download", "-o", self.path("downloads", f"first-{file}"), f"{url}/first", timeout=SECONDS)
        time.sleep(0.8)
        right = hostile_servers.Version(contents["/second"]).digest
        return Download(file, variant, self.path("downloads", file), f"{url}/second",
                        self.options_of(transport, file, None), {right}, server)

    def judge(self, download):
        """Returns the columns in which the run counts, and the message of its failure."""
        try:
            first = self.longhaul("download", "-o", download.path, *download.options, download.url, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return ["hung"], "no end"
        if first.returncode == 0:
            return ["good" if download.is_file_right() else "wrong"], "status 0"
        message = last_line(first.stderr)
        if os.path.exists(download.path):
            return ["failed", "wrong"], f"{message} (but the file exists)"
        download.server.is_right = True
        identifier = self.identifier(download)
        try:
            second = self.longhaul("retry", "--detach", identifier)
            if second.returncode == 0:
                second = self.longhaul("watch", identifier, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return ["failed", "hung"], f"{message}; then the retry does not end"
        if second.returncode != 0:
            return ["failed", "lost"], f"{message}; then: {last_line(second.stderr)}"
        if not download.is_file_right():
            return ["failed", "wrong"], f"{message}; then status 0 of the retry"
        return ["failed", "saved by retry" if message else "lost"], message or "a failure without a message"

    def identifier(self, download):
        for line in self.longhaul("list", "--all", "--json").stdout.splitlines():
            entry = json.loads(line)
            if entry.get("key") == download.name:
                return entry["id"]
        return download.name

    def print_bad(self, name, transport, download, verdict, message, with_requests):
        doctor = self.longhaul("doctor", self.identifier(download))
        lines = [f"{' and '.join(verdict)}: {name} over {TRANSPORTS[transport]} ({download.variant}), {download.name}:",
                 message, *doctor.stdout.strip().splitlines()]
        if with_requests:
            lines += ["requests:", *download.server.log[:REQUESTS]]
        print("\n    ".join(lines), flush=True)

    def release(self, download):
        self.server.sources.pop(f"/{download.name}", None)
        if download.is_file_right():
            os.remove(download.path)

    # Results

    def run(self):
        names = [*hostile_servers.MODES, "late"] if self.options.servers == "all" else [self.options.servers]
        transports = list(TRANSPORTS) if self.options.transport == "both" else [self.options.transport]
        self.messages = collections.Counter()
        self.start(transports)
        table = {}
        for name in names:
            for transport in transports:
                # HTTP/2 assigns every byte to a stream, so nothing can arrive early.
                if name == "late" and transport == "http2":
                    continue
                row = table[name, transport] = self.run_mode(name, transport)
                print(f"{name} over {TRANSPORTS[transport]}: {row['seconds']} s", flush=True)
        return self.report(table)

    def report(self, table):
        if self.messages:
            print("\nFailures that a retry saved:")
        for (name, transport, variant, message), count in sorted(self.messages.items()):
            print(f"{count:>4} {name} over {TRANSPORTS[transport]} ({variant}): {message}")
        print(f"\n{'mode':<14}{'transport':<14}" + "".join(f"{c:>{max(len(c), 7) + 2}}" for c in COLUMNS))
        for (name, transport), row in table.items():
            print(f"{name:<14}{TRANSPORTS[transport]:<14}" + "".join(
                f"{row[c]:>{max(len(c), 7) + 2}}" for c in COLUMNS))
        print(f"\nseed {self.options.seed}; hostile: runs in which the server misbehaved at least once")
        return not any(row[column] for row in table.values() for column in BAD)
