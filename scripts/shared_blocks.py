"""Measures how many downloads join two versions that share blocks, for scripts/storm --servers shared-blocks.

The versions have the same size and date, so nginx states the same tag for them. Equal blocks hide the replacement from
a comparison of overlapping bytes.
"""

import collections
import concurrent.futures
import hashlib
import os
import random
import subprocess
import time

from hostile_runs import TRANSPORTS, free_port, last_line, wait_for_port
from storm_home import StormHome, digest

SIZE = 48 << 20
WIDTH = 4
SECONDS = 300
SPLITS = (4, 2, None)


def every_second_mebibyte(content, chance):
    return b"".join(
        chance.randbytes(1 << 20) if first >> 20 & 1 else content[first:first + (1 << 20)]
        for first in range(0, SIZE, 1 << 20))


def few_blocks(content, chance):
    changed, block = bytearray(content), 64 << 10
    for number in chance.sample(range(SIZE // block), SIZE // block // 50):
        changed[number * block:(number + 1) * block] = chance.randbytes(block)
    return bytes(changed)


def two_bytes(content, chance):
    changed = bytearray(content)
    for offset in chance.sample(range(SIZE), 2):
        changed[offset] ^= 0xFF
    return bytes(changed)


def shifted(content, chance):
    return chance.randbytes(4096) + content[:-4096]


SHAPES = {
    "every second MiB": every_second_mebibyte, "2 % of 64 KiB": few_blocks, "two bytes": two_bytes,
    "shifted by 4 KiB": shifted,
}


class SharedBlocks(StormHome):
    def __init__(self, options):
        super().__init__(options.programs, ("www", "tmp"))
        self.options = options

    def start(self):
        self.make_certificate()
        ports = [free_port() for _ in TRANSPORTS]
        self.authorities = {"http1": f"http://localhost:{ports[0]}", "http2": f"https://localhost:{ports[1]}"}
        temporary = " ".join(f"{kind}_temp_path {self.path('tmp', kind)};" for kind in (
            "client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        with open(self.path("nginx.conf"), "w") as file:
            file.write(f"""
                {'user root;' if os.geteuid() == 0 else ''}
                daemon off; master_process off; pid {self.path('nginx.pid')};
                events {{ worker_connections 4096; }}
                http {{
                    log_format bytes '$uri $body_bytes_sent'; access_log {self.path('access.log')} bytes;
                    default_type application/octet-stream; keepalive_requests 1000000; {temporary}
                    ssl_certificate {self.path('cert.pem')}; ssl_certificate_key {self.path('key.pem')};
                    server {{
                        listen 127.0.0.1:{ports[0]}; listen 127.0.0.1:{ports[1]} ssl http2;
                        root {self.path('www')}; limit_rate 3m;
                    }}
                }}""")
        self.servers.append(subprocess.Popen(
            ["/usr/sbin/nginx", "-e", self.path("errors.log"), "-p", self.place, "-c", self.path("nginx.conf")]))
        for port in ports:
            wait_for_port(port, self.servers[0])
        self.longhaul("limits", "--total", "100", "--per-host", "400", "--streams", "400")

    def publish(self, name, content, date):
        """Replaces the file at once. A response in progress continues with the old one."""
        with open(self.path("tmp", name), "wb") as file:
            file.write(content)
        os.utime(self.path("tmp", name), (date, date))
        os.rename(self.path("tmp", name), self.path("www", name))

    def download(self, shape, transport, number):
        chance = random.Random(f"{self.options.seed} {shape} {transport} {number}")
        name = f"{list(SHAPES).index(shape)}-{transport}-{number}.bin"
        old = chance.randbytes(SIZE)
        new = SHAPES[shape](old, chance)
        digests = {hashlib.sha256(content).hexdigest() for content in (old, new)}
        date, path = time.time() // 86400 * 86400 - 86400, self.path("downloads", name)
        self.publish(name, old, date)
        split = SPLITS[number % len(SPLITS)]
        command = ["longhaul", "download", "-o", path, "--retry", "5"] + (["--split", str(split)] if split else [])
        if transport == "http2":
            command += ["--cacert", self.path("cert.pem")]
        process = subprocess.Popen(
            [*command, f"{self.authorities[transport]}/{name}"], env=self.environment,
            executable=f"{self.programs}/longhaul", stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(chance.uniform(1.7, 2.3))
        self.publish(name, new, date)
        try:
            message = last_line(process.communicate(timeout=SECONDS)[1])
        except subprocess.TimeoutExpired:
            process.kill()
            message = f"no end within {SECONDS} s"
            process.communicate()
        os.remove(self.path("www", name))
        if process.returncode != 0:
            verdict = "failures"
        else:
            verdict = "one version" if digest(path) in digests else "mixed"
            os.remove(path)
        if verdict != "one version":
            print(f"{verdict}: {shape} over {TRANSPORTS[transport]} (--split {split or 'auto'}), {name}: "
                  f"{message if process.returncode else 'status 0'}", flush=True)
        return name, verdict

    def run(self):
        self.start()
        transports = list(TRANSPORTS) if self.options.transport == "both" else [self.options.transport]
        columns = ("runs", "one version", "mixed", "failures")
        lines = [f"\n{'shape':<20}{'transport':<12}" + "".join(f"{c:>13}" for c in columns) + f"{'requested':>13}"]
        for shape in SHAPES:
            for transport in transports:
                with concurrent.futures.ThreadPoolExecutor(WIDTH) as pool:
                    ended = list(pool.map(lambda n: self.download(shape, transport, n), range(self.options.runs)))
                row = collections.Counter(verdict for _, verdict in ended)
                row["runs"] = len(ended)
                sent = self.bytes_sent()
                share = sum(sent[f"/{name}"] for name, _ in ended) / SIZE / max(len(ended), 1)
                lines.append(f"{shape:<20}{TRANSPORTS[transport]:<12}" + "".join(
                    f"{row[c]:>13}" for c in columns) + f"{share:>12.2f}x")
                print(lines[-1].strip(), flush=True)
        print("\n".join(lines) + f"\n\nseed {self.options.seed}; mixed: status 0, but the file is of neither version;"
              "\nrequested: bytes that the server sent, relative to the size of the file")
        return True

    def bytes_sent(self):
        """Returns the bytes that nginx sent, by file. nginx logs a request when it ends, which may be shortly after the command."""
        time.sleep(1)
        sent = collections.Counter()
        with open(self.path("access.log")) as file:
            for line in file:
                name, count = line.split()
                sent[name] += int(count)
        return sent
