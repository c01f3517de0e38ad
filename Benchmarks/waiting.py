#!/usr/bin/env python3
"""Measures whether transfers wait for a live but silent server, and how soon they notice a dead one, in real time.

Usage: waiting.py --products DIRECTORY [--http3 LIBRARIES] [--silences SECONDS,…] [--dead | --names] [--output FILE]

Every case is a transfer with the default limits, and all of them run at the same time. The server responds after the silence,
or pauses that long in the middle of a body. HTTP/2 goes through nginx, and HTTP/3 through caddy. LIBRARIES is the output of
scripts/http3-libcurl.

With --dead, each case runs in a separate network that drops the packets of the open connections, in both directions or in one.
New connections work, so the time of the second request shows when the transfer gave up the first one. This mode requires root,
nftables and iproute2.

With --names, each case runs in a separate network with its own name server, which fails or stays silent for five minutes. The
script measures how soon after that a transfer with one retry resumes, and how soon a command for a nonexistent host ends. This
mode requires root and iproute2.
"""
import argparse
import datetime
import http.server
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

OUTAGE = 300
# Response codes of the name server (RFC 1035, section 4.1.1); `None` for no response.
OUTAGES = {"SERVFAIL": 2, "REFUSED": 5, "silence": None}
BODY = 32 << 20
REQUESTS = ["GET", "PUT", "POST", "form", "tus"]
PHASES = ["response", "download", "upload", "after upload", "kept"]
SIDES = {"both": ("sport", "dport"), "to the server": ("dport",), "to Longhaul": ("sport",)}


class Server(http.server.ThreadingHTTPServer):
    """Responds late: `/wait/SECONDS/NAME`, `/up/SECONDS/NAME` (in the request's body), `/down/SECONDS/NAME` (in the response's)."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self):
        self.log = []
        super().__init__(("127.0.0.1", 0), Handler)

    def handle_error(self, request, client_address):
        pass

    def requests(self, name):
        return [entry for entry in self.log if entry["name"] == name]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Few bytes stay in the kernel, so that a body that is not read stalls.
    rbufsize = 0

    def log_message(self, *words):
        pass

    def setup(self):
        self.request.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 18)
        super().setup()

    def read(self, count):
        while count > 0:
            piece = self.rfile.read(min(count, 1 << 16))
            if not piece:
                raise ConnectionResetError
            self.entry["bytes"] += len(piece)
            count -= len(piece)

    def respond(self, status, body=b"", **fields):
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def handle_request(self):
        _, kind, seconds, *name = self.path.split("/")
        length = int(self.headers.get("Content-Length") or 0)
        self.entry = {"name": "/".join(name), "method": self.command, "bytes": 0, "at": time.monotonic()}
        # A transfer that asks again gets its response at once.
        again = any(e["method"] == self.command for e in self.server.requests(self.entry["name"]))
        self.server.log.append(self.entry)
        pause = 0 if again else float(seconds)
        tus = {"Tus_Resumable": "1.0.0"}
        if kind == "tus" and self.command == "HEAD":
            return self.respond(200, Upload_Offset="0", Upload_Length=str(BODY), **tus)
        if kind == "down":
            self.send_response(200)
            self.send_header("Content-Length", str(BODY))
            self.send_header("ETag", '"1"')
            self.end_headers()
            for _ in range(2):
                self.wfile.write(bytes(BODY // 2))
                time.sleep(pause)
                pause = 0
            return None
        if kind == "up":
            self.read(length // 2)
            time.sleep(pause)
            self.read(length - length // 2)
            return self.respond(201)
        self.read(length)
        if kind == "tus" and self.command == "POST":
            return self.respond(201, Location=f"/tus/{seconds}/{self.entry['name']}", **tus)
        time.sleep(pause)
        if kind == "tus":
            return self.respond(204, Upload_Offset=str(length), **tus)
        return self.respond(200 if self.command == "GET" else 201, b"content")

    do_GET = do_PUT = do_POST = do_PATCH = do_HEAD = handle_request


class Client:
    """Longhaul's programs, with a separate home directory."""

    def __init__(self, products, directory, libraries=None):
        self.products, self.directory = products, directory
        self.children = []
        self.environment = {
            "PATH": f"{products}:/usr/bin:/bin", "HOME": directory, "XDG_RUNTIME_DIR": f"{directory}/run",
            "XDG_STATE_HOME": f"{directory}/state", "LANG": "C.UTF-8",
        }
        if libraries:
            self.environment["LD_LIBRARY_PATH"] = libraries
        for name in ("run", "state"):
            os.makedirs(f"{directory}/{name}", mode=0o700, exist_ok=True)
        self.service = subprocess.Popen([f"{products}/longhauld"], env=self.environment, stderr=subprocess.DEVNULL)
        time.sleep(1)
        # All run at the same time.
        limits = [f"{products}/longhaul", "limits", "--total", "200", "--per-host", "200"]
        subprocess.run(limits, env=self.environment, check=True, capture_output=True)

    def run(self, *words):
        call = [f"{self.products}/longhaul", words[0], "-q", "-k", *words[1:]]
        child = subprocess.Popen(
            call, env=self.environment, cwd=self.directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.children.append(child)
        output, errors = child.communicate()
        return subprocess.CompletedProcess(call, child.returncode, output, errors)

    def end(self):
        # A client that is still at work would start another service.
        for child in self.children:
            child.kill()
        self.service.terminate()
        self.service.wait()


def words_of(case, url, silence, name, source):
    """The command line of a case."""
    target = f"{url}/wait/{silence}/{name}"
    return {
        "GET": ["download", "-o", f"{name}.out", target],
        "PUT": ["upload", source, target],
        "POST": ["upload", "-X", "POST", source, target],
        "form": ["upload", "-F", f"a=@{source}", target],
        "tus": ["upload", "--tus", source, f"{url}/tus/{silence}/{name}"],
        "mid-upload": ["upload", source, f"{url}/up/{silence}/{name}"],
        "mid-download": ["download", "--split", "1", "-o", f"{name}.out", f"{url}/down/{silence}/{name}"],
    }[case]


def front(kind, directory, backend, port):
    """Starts nginx or caddy before the server."""
    if kind == "HTTP/2":
        configuration = f"""
            {"user root;" if os.geteuid() == 0 else ""}
            daemon off; master_process off; pid {directory}/nginx.pid; error_log {directory}/nginx.log; events {{}}
            http {{
                access_log off; client_body_temp_path {directory}/body; proxy_temp_path {directory}/proxy;
                client_body_timeout 1h; send_timeout 1h; keepalive_timeout 1h; client_max_body_size 0;
                server {{
                    listen 127.0.0.1:{port} ssl http2; ssl_certificate {directory}/cert.pem; ssl_certificate_key {directory}/key.pem;
                    location / {{
                        proxy_pass http://127.0.0.1:{backend}; proxy_http_version 1.1; proxy_request_buffering off;
                        proxy_buffering off; proxy_read_timeout 1h; proxy_send_timeout 1h;
                    }}
                }}
            }}"""
        call = ["/usr/sbin/nginx", "-e", f"{directory}/nginx.log", "-p", directory, "-c"]
    else:
        configuration = f"""{{
            admin off
            auto_https off
            servers {{
                protocols h1 h2 h3
            }}
        }}
        :{port} {{
            bind 127.0.0.1
            tls {directory}/cert.pem {directory}/key.pem
            reverse_proxy 127.0.0.1:{backend} {{
                flush_interval -1
            }}
        }}
        """
        call = ["/usr/bin/caddy", "run", "--adapter", "caddyfile", "--config"]
    path = f"{directory}/{kind.replace('/', '')}.conf"
    with open(path, "w") as file:
        file.write(configuration)
    environment = {"HOME": directory, "PATH": "/usr/bin:/bin"}
    child = subprocess.Popen([*call, path], env=environment, stderr=subprocess.DEVNULL)
    wait_for_port(port)
    return child


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for_port(port):
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    sys.exit("a server did not start")


def start_server():
    server = Server()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def make_source(directory):
    with open(f"{directory}/source", "wb") as file:
        file.truncate(BODY)
    return f"{directory}/source"


def measure_silences(arguments, directory):
    """Returns a line for each case: its duration, the number of requests that the server saw, and the result."""
    server = start_server()
    source = make_source(directory)
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{directory}/key.pem", "-out",
         f"{directory}/cert.pem", "-days", "2", "-subj", "/CN=127.0.0.1"], check=True, capture_output=True)
    clients, fronts = {"HTTP/1.1": Client(arguments.products, f"{directory}/1")}, []
    urls = {"HTTP/1.1": f"http://127.0.0.1:{server.server_port}"}
    clients["HTTP/2"] = clients["HTTP/1.1"]
    if arguments.http3:
        clients["HTTP/3"] = Client(arguments.products, f"{directory}/3", arguments.http3)
    for version in list(clients)[1:]:
        port = free_port()
        fronts.append(front(version, directory, server.server_port, port))
        urls[version] = f"https://127.0.0.1:{port}"
    # More than the silence of a body would be a stall.
    cases = [(case, silence) for silence in arguments.silences for case in REQUESTS] + [
        (case, silence) for silence in (75, 240) for case in ("mid-upload", "mid-download")]
    lines, threads = {}, []

    def run(version, case, silence):
        name = f"{version.replace('/', '')}-{case}-{silence}"
        extra = ["--http3"] if version == "HTTP/3" else []
        words = words_of(case, urls[version], silence, name, source)
        start = time.monotonic()
        result = clients[version].run(words[0], *extra, *words[1:])
        log = server.requests(name)
        methods = " ".join(entry["method"] for entry in log)
        lines[version, silence, case] = (
            f"{version:9} {case:13} {silence:4} s of silence: exit status {result.returncode} after "
            f"{time.monotonic() - start:6.1f} s; the server saw {methods}, {sum(e['bytes'] for e in log)} bytes"
            + (f"; {result.stderr.strip()}" if result.returncode else ""))

    for version in clients:
        for case, silence in cases:
            threads.append(threading.Thread(target=run, args=(version, case, silence)))
            threads[-1].start()
    for thread in threads:
        thread.join()
    for client in {id(client): client for client in clients.values()}.values():
        client.end()
    for child in fronts:
        child.terminate()
    return [lines[key] for key in sorted(lines, key=lambda key: (key[0], key[1]))]


def measure_death(arguments, phase, side):
    """Measures the time from the start of the packet loss to the second request. Runs in a separate network namespace."""
    directory = tempfile.mkdtemp(prefix="waiting-")
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    server = start_server()
    source, url = make_source(directory), f"http://127.0.0.1:{server.server_port}"
    client = Client(arguments.products, directory)
    case = {"response": "GET", "kept": "GET", "download": "mid-download", "upload": "mid-upload", "after upload": "PUT"}[phase]
    name = "case"
    if phase == "kept":
        client.run(*words_of("GET", url, 0, "first", source))
    words = words_of(case, url, 100_000, name, source)
    if phase != "kept":
        threading.Thread(target=client.run, args=words, daemon=True).start()
        time.sleep(5)
    peers = subprocess.run(
        ["ss", "-Htn", "sport", "=", f":{server.server_port}"], capture_output=True, text=True, check=True).stdout
    ports = ", ".join({line.split()[4].rsplit(":", 1)[1] for line in peers.splitlines()})
    rules = ["add table inet t", "add chain inet t c { type filter hook input priority 0; }"]
    # The server's packets go to these ports, Longhaul's come from them.
    for end in SIDES[side]:
        rules.append(f"add rule inet t c tcp {'dport' if end == 'sport' else 'sport'} {{ {ports} }} drop")
    for rule in rules:
        subprocess.run(["nft", *rule.split(" ")] if "{" not in rule else ["nft", rule], check=True)
    start = time.monotonic()
    if phase == "kept":
        words = words_of(case, url, 0, name, source)
        threading.Thread(target=client.run, args=words, daemon=True).start()
    # A request may still arrive on the dead connection, and only its response is lost.
    wanted = 1 if phase == "kept" and side != "to Longhaul" else 2
    while len(server.requests(name)) < wanted and time.monotonic() - start < 400:
        time.sleep(0.1)
    log = server.requests(name)
    noticed = f"{log[wanted - 1]['at'] - start:5.1f} s" if len(log) >= wanted else "not within 400 s"
    print(f"dead peer, {phase:12}, packets {side:13} dropped: new request after {noticed}", flush=True)
    client.end()
    shutil.rmtree(directory, ignore_errors=True)


class NameServer:
    """Answers every question on 127.0.0.1 with one code, or with the address of the server."""

    def __init__(self, code):
        self.code = code
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 53))
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            question, peer = self.socket.recvfrom(2_048)
            if self.code is None:
                continue
            end = question.index(b"\0", 12) + 5
            is_for_address = question[end - 4:end - 2] == b"\0\1"
            has_answer = self.code == 0 and is_for_address
            head = question[:2] + bytes([0x81, 0x80 | self.code]) + b"\0\1" + bytes([0, has_answer]) + bytes(4)
            answer = b"\xc0\x0c\0\1\0\1\0\0\0\0\0\4" + socket.inet_aton("127.0.0.1") if has_answer else b""
            self.socket.sendto(head + question[12:end] + answer, peer)


def measure_names(arguments, outage):
    """Measures transfers while the name server fails. Runs in separate network and mount namespaces."""
    directory = tempfile.mkdtemp(prefix="waiting-")
    for name, text in (("resolv.conf", "nameserver 127.0.0.1\n"), ("nsswitch.conf", "hosts: dns\n")):
        with open(f"{directory}/{name}", "w") as file:
            file.write(text)
        subprocess.run(["mount", "--bind", f"{directory}/{name}", f"/etc/{name}"], check=True)
    for command in ("link set lo up", "link add wire type veth peer name far", "link set far up", "link set wire up",
                    "addr add 192.0.2.1/24 dev wire", "route add default via 192.0.2.2"):
        subprocess.run(["ip", *command.split(" ")], check=True)
    names, server = NameServer(3), start_server()
    url, other = (f"http://{name}.example:{server.server_port}/wait/0" for name in ("server", "other"))
    client = Client(arguments.products, directory)
    start = time.monotonic()
    unknown = client.run("download", "-o", "unknown", f"{other}/unknown")
    took = time.monotonic() - start
    names.code = OUTAGES[outage]
    results = []
    words = ["download", "--retry", "1", "-o", "out", f"{url}/case"]
    waiting = threading.Thread(target=lambda: results.append(client.run(*words)))
    waiting.start()
    time.sleep(OUTAGE)
    assert not results, results
    names.code, start = 0, time.monotonic()
    waiting.join(60)
    noticed = f"{server.requests('case')[0]['at'] - start:4.1f} s" if server.requests("case") else "not within 60 s"
    status = results[0].returncode if results else "none"
    print(f"{outage:8} for {OUTAGE} s: request after {noticed}, exit status {status}; "
          f"a host that does not exist: exit status {unknown.returncode} after {took:3.1f} s", flush=True)
    client.end()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--products", required=True, type=os.path.abspath)
    parser.add_argument("--http3")
    parser.add_argument("--silences", default="75,600", type=lambda text: [int(word) for word in text.split(",")])
    parser.add_argument("--dead", action="store_true")
    parser.add_argument("--names", action="store_true")
    parser.add_argument("--output")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside in OUTAGES:
        return measure_names(arguments, arguments.inside)
    if arguments.inside:
        phase, side = arguments.inside.split("/")
        return measure_death(arguments, phase, side)
    if arguments.dead or arguments.names:
        cases = OUTAGES if arguments.names else [f"{phase}/{side}" for phase in PHASES for side in SIDES]
        call = ["unshare", "--net", "--mount", sys.executable, os.path.abspath(__file__), "--products", arguments.products]
        children = [
            subprocess.Popen([*call, "--inside", case], stdout=subprocess.PIPE, text=True) for case in cases]
        lines = [child.communicate()[0].strip() for child in children]
    else:
        with tempfile.TemporaryDirectory(prefix="waiting-") as directory:
            lines = measure_silences(arguments, directory)
    heading = f"{datetime.date.today()}, {os.cpu_count()} processors, kernel {os.uname().release}"
    text = "\n".join([heading, *lines]) + "\n"
    print(text, end="")
    if arguments.output:
        with open(arguments.output, "a") as file:
            file.write(text)
    return None


if __name__ == "__main__":
    main()
