#!/usr/bin/env python3
"""Measures how a background transfer yields to other traffic on a simulated line: round trip 20 ms, queue 200 ms.

Usage: making-room.py --products DIRECTORY --line FAR-LINE [--rate MBIT] [--rounds N] [--upload] [--split N] [--same-host]
           [--fair] [--paced] [--plot FILE.svg]

Every figure is the median of the rounds, with the minimum and the maximum. --rate sets the rate of the line. With --fair, the
line serves connections in turn instead of in the order of their packets, as fq_codel does. --split sets the number of connections
of the background download. --plot draws the last round.

The script creates three networks: the client's, another computer's, and the server's behind the line. It requires root, nginx,
curl and iproute2. Congestion control is cubic, which fills the queue, as on most servers.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import tempfile
import threading
import time

SINK = """
import socket, threading
def serve(c):
    data = b""
    while b"\\r\\n\\r\\n" not in data:
        piece = c.recv(65536)
        if not piece: return
        data += piece
    head, rest = data.split(b"\\r\\n\\r\\n", 1)
    left = next(int(l.split(b":")[1]) for l in head.split(b"\\r\\n") if l.lower().startswith(b"content-length:")) - len(rest)
    if b"100-continue" in head.lower(): c.sendall(b"HTTP/1.1 100 Continue\\r\\n\\r\\n")
    while left > 0:
        piece = c.recv(min(left, 1 << 20))
        if not piece: return
        left -= len(piece)
    c.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\nConnection: close\\r\\n\\r\\n")
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(("10.77.0.2", 9090))
s.listen(64)
while True: threading.Thread(target=serve, args=(s.accept()[0],), daemon=True).start()
"""
KNOCK = """
import socket, time
while True:
    begin = time.monotonic()
    try:
        socket.create_connection(("10.77.0.2", 8080), timeout=5).close()
        print("%.3f %.2f" % (begin, (time.monotonic() - begin) * 1000), flush=True)
    except OSError: pass
    time.sleep(max(0, 0.05 - (time.monotonic() - begin)))
"""


class World:
    """The networks, the server, the service, and what is seen of them."""

    def __init__(self, options):
        self.options = options
        self.place = tempfile.mkdtemp(prefix="making-room.")
        self.children = []
        ends = self.place + "/ends"
        fair = ["--fair"] if options.fair else []
        self.start([options.line, *fair, ends, "10", "0", str(options.rate)])
        while not (os.path.exists(ends) and open(ends).read().endswith("\n")):
            time.sleep(0.05)
        near, far = open(ends).read().split()
        self.router, self.server = ["nsenter", "--net=" + near], ["nsenter", "--net=" + far]
        self.call(self.router, "sysctl -qw net.ipv4.ip_forward=1")
        self.call(self.server, "ip route replace 10.77.0.1 dev far0 congctl cubic")
        self.client, self.other = self.machine(8), self.machine(9)
        if options.same_host:
            self.other = self.client
        self.serve()
        self.knocks = self.place + "/knocks"
        self.start(self.client + ["python3", "-c", KNOCK], stdout=open(self.knocks, "w"))
        self.samples = []
        threading.Thread(target=self.sample, daemon=True).start()

    def start(self, words, **options):
        self.children.append(subprocess.Popen(words, **options))
        return self.children[-1]

    def call(self, network, line):
        subprocess.run(network + line.split(), check=True)

    def machine(self, number):
        keeper = self.start(["unshare", "--net", "sleep", "infinity"])
        time.sleep(0.3)
        inside = ["nsenter", f"--net=/proc/{keeper.pid}/ns/net"]
        address = f"10.7{number}.0"
        self.call(self.router, f"ip link add v{number} type veth peer name v0 netns {keeper.pid}")
        self.call(self.router, f"ip addr add {address}.1/24 dev v{number}")
        self.call(self.router, f"ip link set v{number} up")
        for line in (f"ip addr add {address}.2/24 dev v0", "ip link set v0 up", "ip link set lo up",
                     f"ip route add default via {address}.1 congctl cubic"):
            self.call(inside, line)
        self.call(self.server, f"ip route add {address}.0/24 dev far0 congctl cubic")
        return inside

    def serve(self):
        place = self.place
        os.makedirs(place + "/www")
        os.makedirs(place + "/run", mode=0o700)
        for name, size in (("www/big", 4 << 30), ("www/small", 400_000), ("body", 4 << 30)):
            with open(f"{place}/{name}", "wb") as file:
                file.truncate(size)
        temporary = " ".join(f"{kind}_temp_path {place}/{kind};" for kind in
                             ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        with open(place + "/nginx.conf", "w") as file:
            file.write(f"daemon off; pid {place}/pid; worker_processes 1; user root; events {{ worker_connections 999; }} "
                       f"http {{ access_log off; sendfile on; root {place}/www; {temporary} server {{ listen 10.77.0.2:8080; }} }}")
        self.start(self.server + ["/usr/sbin/nginx", "-p", place, "-c", place + "/nginx.conf", "-e", place + "/log"])
        self.start(self.server + ["python3", "-c", SINK])
        time.sleep(0.7)

    def longhaul(self, *words):
        place = self.place
        environment = dict(os.environ, XDG_STATE_HOME=place + "/state", XDG_RUNTIME_DIR=place + "/run",
                           XDG_CONFIG_HOME=place + "/config", HOME=place)
        if self.options.paced:
            environment["LONGHAUL_PATHS"] = "plain"
        subprocess.run(self.client + [self.options.products + "/longhaul", *words], env=environment, check=True,
                       stdout=subprocess.DEVNULL)

    def begin_background(self):
        options = self.options
        usual = ["--detach", "--yield", "--quiet"]
        if options.upload:
            self.longhaul("upload", *usual, "-X", "PUT", self.place + "/body", "http://10.77.0.2:9090/background")
        else:
            usual += ["--split", str(options.split)] if options.split else []
            self.longhaul("download", *usual, "-o", self.place + "/file", "http://10.77.0.2:8080/big")

    def sample(self):
        """Bytes of the client's line and of the other one's, ten times a second."""
        column = 0 if self.options.upload else 8
        while True:
            text = subprocess.run(self.router + ["cat", "/proc/self/net/dev"], capture_output=True, text=True).stdout
            moved = {line.split(":")[0].strip(): int(line.split(":")[1].split()[column])
                     for line in text.splitlines() if ":" in line}
            self.samples.append((time.monotonic(), moved.get("v8", 0), moved.get("v9", 0)))
            time.sleep(0.1)

    def rate(self, column, begin, end):
        seen = [sample for sample in self.samples if begin <= sample[0] <= end]
        return (seen[-1][column] - seen[0][column]) / (seen[-1][0] - seen[0][0])

    def delay(self, begin, end):
        seen = sorted(delay for at, delay in self.all_delays() if begin <= at <= end)
        return statistics.median(seen) if seen else float("nan")

    def all_delays(self):
        lines = [line.split() for line in open(self.knocks)]
        return [(float(line[0]), float(line[1])) for line in lines if len(line) == 2]

    def foreground(self, seconds):
        """Bytes a second that curl moves."""
        words = ["-T", self.place + "/body", "http://10.77.0.2:9090/foreground"] if self.options.upload else [
            "http://10.77.0.2:8080/big"]
        count = "%{size_upload}" if self.options.upload else "%{size_download}"
        result = subprocess.run(self.other + ["curl", "-s", "-o", "/dev/null", "-m", str(seconds), "-w",
                                              count + " %{time_total}", *words], capture_output=True, text=True)
        moved, took = result.stdout.split()
        return float(moved) / float(took)

    def fetches(self, count):
        """Seconds that a fetch of 400 kB takes, one begun each second: the median."""
        times = []
        for _ in range(count):
            begin = time.monotonic()
            subprocess.run(self.other + ["curl", "-s", "-o", "/dev/null", "http://10.77.0.2:8080/small"], check=True)
            times.append(time.monotonic() - begin)
            time.sleep(max(0, 1 - times[-1]))
        return statistics.median(times)

    def end(self):
        try:
            self.longhaul("service", "stop")
        except subprocess.CalledProcessError as error:
            print(error)
        for child in reversed(self.children):
            # nginx takes its workers along if it is asked to end, and leaves them if it is killed.
            child.terminate()
            child.wait()
        shutil.rmtree(self.place, ignore_errors=True)


def when(world, begin, end, holds):
    """Seconds from `begin` until a third of a second's rate of the background's line is as wanted."""
    seen = [sample for sample in world.samples if begin - 0.4 <= sample[0] <= end]
    for earlier, later in zip(seen, seen[3:]):
        if later[0] > begin and holds((later[1] - earlier[1]) / (later[0] - earlier[0])):
            return later[0] - begin
    return float("nan")


def measure(world):
    """One round: from when to when it was, and its figures."""
    options = world.options
    full = options.rate * 1e6 / 8
    row = {}
    alone_begin = time.monotonic()
    alone = world.foreground(10)
    row["foreground alone, % of the line"] = alone / full * 100
    row["its delay, ms"] = world.delay(alone_begin, time.monotonic())
    time.sleep(2)
    idle = world.delay(time.monotonic() - 1.5, time.monotonic())
    begin = time.monotonic()
    world.begin_background()
    time.sleep(13)
    row["background alone, % of the line"] = world.rate(1, time.monotonic() - 10, time.monotonic()) / full * 100
    row["what it adds to the delay, ms"] = world.delay(time.monotonic() - 10, time.monotonic()) - idle
    came = time.monotonic()
    both = world.foreground(15)
    left = time.monotonic()
    meanwhile = world.rate(1, came + 1.5, left)
    if options.same_host:
        meanwhile = max(meanwhile - both * 1.045, 0)
    row["foreground beside it, % of alone"] = both / alone * 100
    row["background meanwhile, % of the line"] = meanwhile / full * 100
    if not options.same_host:
        row["yields after, s"] = when(world, came, left, lambda rate: rate < full / 10)
    time.sleep(5)
    row["takes the line again after, s"] = when(world, left, left + 5, lambda rate: rate > full * 0.8)
    if not options.upload:
        beside = world.fetches(8)
        world.longhaul("pause", "--all")
        time.sleep(1)
        row["400 kB each second, times as long as alone"] = beside / world.fetches(8)
    return begin - 2, left + 5, row


def report(rows):
    for name in rows[0]:
        values = [row[name] for row in rows]
        print(f"{name:44}{statistics.median(values):8.2f}   {min(values):.2f} to {max(values):.2f}", flush=True)


def plot(world, begin, end, path):
    """Rates of both lines, and the delay of a new connection, over time."""
    full, width, height = world.options.rate / 8, 860, 170

    def line(points, most, top, colour):
        text = " ".join(f"{60 + (at - begin) / (end - begin) * width:.1f},{top + height * (1 - min(value / most, 1)):.1f}"
                        for at, value in points)
        return f'<polyline fill="none" stroke="{colour}" stroke-width="1.5" points="{text}"/>'

    def rates(column):
        seen = [sample for sample in world.samples if begin <= sample[0] <= end]
        return [(later[0], (later[column] - earlier[column]) / (later[0] - earlier[0]) / 1e6)
                for earlier, later in zip(seen, seen[3:])]

    delays = [(at, delay) for at, delay in world.all_delays() if begin <= at <= end]
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="960" height="480" font-family="sans-serif" font-size="13">',
             '<rect width="960" height="480" fill="white"/>']
    for top, title, most, unit in ((40, "MB/s: background (blue), foreground of another machine (orange)", full * 1.1, ""),
                                   (270, "Milliseconds until a new connection opens", 250, "")):
        parts.append(f'<text x="60" y="{top - 12}">{title}</text>')
        for share in (0, 0.5, 1):
            y = top + height * (1 - share)
            parts.append(f'<line x1="60" x2="920" y1="{y}" y2="{y}" stroke="#ddd"/>'
                         f'<text x="52" y="{y + 4}" text-anchor="end">{most * share:.1f}{unit}</text>')
    parts += [line(rates(1), full * 1.1, 40, "#1f77b4"), line(rates(2), full * 1.1, 40, "#ff7f0e"),
              line(delays, 250, 270, "#2ca02c")]
    for second in range(0, int(end - begin) + 1, 5):
        parts.append(f'<text x="{60 + second / (end - begin) * width:.0f}" y="462" text-anchor="middle">{second} s</text>')
    with open(path, "w") as file:
        file.write("\n".join(parts) + "\n</svg>\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--products", required=True)
    parser.add_argument("--line", required=True)
    parser.add_argument("--rate", type=float, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--upload", action="store_true")
    parser.add_argument("--split", type=int)
    parser.add_argument("--same-host", action="store_true")
    parser.add_argument("--fair", action="store_true")
    parser.add_argument("--paced", action="store_true")
    parser.add_argument("--plot")
    options = parser.parse_args()
    rows = []
    for _ in range(options.rounds):
        world = World(options)
        try:
            begin, end, row = measure(world)
            rows.append(row)
            if options.plot:
                plot(world, begin, end, options.plot)
        finally:
            world.end()
    report(rows)


main()
