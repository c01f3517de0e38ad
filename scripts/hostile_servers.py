"""Download servers that misbehave, for scripts/storm --servers.

Each download has its own file on the server, a `Source`. A `Mode` decides what each request for it receives. Whatever
the mode, the server behaves correctly as soon as `is_right` is set.
"""

import dataclasses
import email.utils
import hashlib
import http.server
import re
import select
import socket
import struct
import threading
import time

PAGE = b"<html><body>One download at a time, please. Try again later.</body></html>"
CHUNK = 32 << 10


class Version:
    """One content of a file, with the tag and the date that the server states for it."""

    def __init__(self, content, tag='"v1"'):
        self.content, self.tag = content, tag
        self.date = email.utils.formatdate(time.time() // 86400 * 86400 - 86400, usegmt=True)
        self.digest = hashlib.sha256(content).hexdigest()


@dataclasses.dataclass
class Reply:
    status: int
    headers: list
    body: bytes = b""
    # Reset the connection after this number of bytes of the body.
    cut: int | None = None
    # Send nothing at all.
    is_silent: bool = False
    # Whether the body is content of the file, sent at the rate of the source.
    is_content: bool = False


def page():
    return Reply(200, [("Content-Type", "text/html")], PAGE)


def redirect():
    return Reply(302, [("Location", "/page")])


def whole_or_part(version, request, content=None):
    """Returns the response of a correct server, with other bytes if `content` is not None."""
    content = version.content if content is None else content
    headers = [("Content-Type", "application/octet-stream"), ("ETag", version.tag), ("Last-Modified", version.date),
               ("Accept-Ranges", "bytes")]
    if request.headers.get("If-Match", version.tag) not in (version.tag, "*"):
        return Reply(412, [])
    if request.span is None or request.headers.get("If-Range", version.tag) not in (version.tag, version.date):
        return Reply(200, headers, content, is_content=True)
    first, last = request.span
    size = len(content)
    if first >= size:
        return Reply(416, [("Content-Range", f"bytes */{size}")])
    last = min(last, size - 1)
    headers.append(("Content-Range", f"bytes {first}-{last}/{size}"))
    return Reply(206, headers, memoryview(content)[first:last + 1], is_content=True)


@dataclasses.dataclass
class Request:
    headers: object
    # The first and the last byte.
    span: tuple | None
    # Whether the server is sending content of the same file at that time.
    is_parallel: bool


def span(text, size):
    found = re.fullmatch(r"bytes=(\d*)-(\d*)", text or "")
    if not found or not any(found.groups()):
        return None
    first, last = found.groups()
    if not first:
        return max(size - int(last), 0), size - 1
    return int(first), int(last) if last else size - 1


def is_open(connection):
    """Returns whether the client has not closed the connection."""
    try:
        return connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


class Source:
    """The file of one download, and what the server remembers about it."""

    def __init__(self, mode, variant, versions, chance, rate):
        self.mode, self.variant, self.versions, self.rate = mode, variant, versions, rate
        self.chance = chance
        self.lock = threading.Lock()
        self.is_right = False
        self.begun = None
        # Requests, and replies that were not those of a correct server.
        self.requests, self.hostile = 0, 0
        # Connections that carry content of the file, and until when a closed one counts.
        self.busy, self.busy_until = set(), 0
        self.banned_until, self.cuts = 0, 0
        self.log = []
        mode.prepare(self)

    @property
    def age(self):
        return time.monotonic() - self.begun

    def reply(self, headers):
        """Called with the lock."""
        now = time.monotonic()
        is_parallel = bool(self.busy) if self.mode.lag else any(map(is_open, self.busy))
        request = Request(
            headers, span(headers.get("Range"), len(self.versions[0].content)), is_parallel or now < self.busy_until)
        self.begun = self.begun or now
        self.requests += 1
        hostile = None if self.is_right else self.mode.hostile(self, request)
        self.hostile += hostile is not None
        reply = hostile or whole_or_part(self.mode.version(self), request)
        self.log.append(f"{self.age:.1f} s: {headers.get('Range') or 'whole file'}: "
                        + ("silence" if reply.is_silent else f"{reply.status}, {len(reply.body)} bytes")
                        + (", hostile" if hostile else "") + (", cut" if reply.cut is not None else ""))
        return reply


class Mode:
    """A kind of hostile server. Its replies are those of a correct server unless `hostile` returns another one."""

    variants = ("",)
    # The values of --split; None leaves the choice to the program.
    splits = (4, 2, None)
    # How many versions there are, and which of them a download may have at its end.
    versions, acceptable = 1, (0,)

    # The seconds until the server notices that a client has closed a connection, at most.
    lag = 0

    def prepare(self, source):
        pass

    def version(self, source):
        return source.versions[0]

    def hostile(self, source, request):
        return None


class Pages(Mode):
    """While it sends the file, a further request receives a page with status 200."""

    variants = ("page", "redirect to a page")
    lag = 0.4

    def hostile(self, source, request):
        if not request.is_parallel:
            return None
        return page() if source.variant == "page" else redirect()


class OneTime(Mode):
    """The URL is valid once. Later requests are redirected to a page."""

    def hostile(self, source, request):
        return redirect() if source.requests > 1 else None


class Slices(Mode):
    """A range is answered with status 200 and only the bytes of the range. The first connection breaks."""

    variants = ("range and tag", "no range, tag", "range and date", "no range, date")
    splits = (1, 2, 4, None)

    def hostile(self, source, request):
        reply = whole_or_part(source.versions[0], request)
        if source.requests == 1:
            reply.cut = int(len(reply.body) * source.chance.uniform(0.3, 0.7))
            return reply
        if reply.status != 206:
            return None
        missing = {"Content-Range"} if source.variant.startswith("no range") else set()
        if source.variant.endswith("date"):
            missing.add("ETag")
        return dataclasses.replace(
            reply, status=200, headers=[header for header in reply.headers if header[0] not in missing])


class Wrong(Mode):
    """Some further requests receive other bytes with the same tag, length, and date."""

    variants = ("shifted by four bytes", "another file")
    versions = 2

    def __init__(self, times):
        self.times = times

    def hostile(self, source, request):
        if source.hostile >= self.times or not request.span or not request.span[0]:
            return None
        right, other = (version.content for version in source.versions)
        content = right[4:] + right[:4] if source.variant.startswith("shifted") else other
        return whole_or_part(source.versions[0], request, content)


class StaleNode(Mode):
    """Requests alternate between two nodes. For four seconds the second one has an old file with the same tag."""

    versions, acceptable = 2, (0, 1)

    def hostile(self, source, request):
        if source.requests % 2 == 1 or source.age > 4:
            return None
        return whole_or_part(source.versions[1], request)


class Replaced(Mode):
    """The file is replaced and put back during the download, with the same size and date."""

    variants = ("same tag", "other tag", "same tag and lost connections", "other tag and lost connections")
    versions, acceptable = 2, (0, 1)

    def prepare(self, source):
        # With --split, all connections may open at once, and then only a file that is replaced at once matters.
        source.replaced = source.chance.choice((0.001, source.chance.uniform(0.1, 1.5)))
        source.restored = source.replaced + source.chance.uniform(0.3, 3)
        if source.variant.startswith("other tag"):
            source.versions[1].tag = '"v2"'

    def hostile(self, source, request):
        is_other = source.replaced <= source.age < source.restored
        reply = whole_or_part(source.versions[is_other], request)
        if reply.is_content and source.variant.endswith("lost connections") and source.chance.random() < 0.4:
            reply.cut = int(len(reply.body) * source.chance.random())
        return reply if is_other or reply.cut is not None else None


class Bans(Mode):
    """A parallel request causes 403 for all requests during five seconds."""

    variants = ("403", "403 and a lost connection")
    lag = 0.4

    def hostile(self, source, request):
        now = time.monotonic()
        if request.is_parallel and now >= source.banned_until:
            source.banned_until = now + 5
            source.cuts += source.variant != "403"
        return Reply(403, [("Content-Type", "text/html")], PAGE) if now < source.banned_until else None


class Silence(Mode):
    """Further requests are accepted and never answered."""

    variants = ("while busy", "always")

    def hostile(self, source, request):
        is_silent = request.is_parallel if source.variant == "while busy" else source.requests > 1
        return Reply(0, [], is_silent=True) if is_silent else None


MODES = {
    "pages": Pages(), "one-time": OneTime(), "slices": Slices(), "wrong-once": Wrong(1), "wrong-twice": Wrong(2),
    "stale-node": StaleNode(), "replaced": Replaced(), "bans": Bans(), "silence": Silence(),
}


def reset(connection):
    """Makes the next close a reset."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        source = self.server.sources.get(self.path)
        if not source:
            self.send(page() if self.path == "/page" else Reply(404, []))
            return
        with source.lock:
            reply = source.reply(self.headers)
            if reply.is_content:
                source.busy.add(self.connection)
            cuts = source.cuts
        try:
            if reply.is_silent:
                self.wait_for_close()
            else:
                self.send(reply, source, cuts)
        except OSError:
            self.close_connection = True
            source.busy_until = time.monotonic() + source.mode.lag * source.chance.random()
        finally:
            with source.lock:
                source.busy.discard(self.connection)

    def send(self, reply, source=None, cuts=0):
        self.send_response(reply.status)
        for name, value in reply.headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        body, due = memoryview(reply.body), time.monotonic()
        for first in range(0, len(body), CHUNK):
            if source and source.cuts > cuts or reply.cut is not None and first >= reply.cut:
                reset(self.connection)
                self.close_connection = True
                return
            self.wfile.write(body[first:first + CHUNK])
            if reply.is_content:
                due += CHUNK / source.rate
                time.sleep(max(due - time.monotonic(), 0))

    def wait_for_close(self):
        """Returns when the client closes the connection, or sends another request."""
        select.select([self.connection], [], [])
        self.close_connection = True

    def finish(self):
        try:
            super().finish()
        except OSError:
            pass

    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    """Serves the sources by the paths of their URLs."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.sources = {}
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, address):
        """Clients close connections at any time."""


class LateServer:
    """Serves two files correctly. After the first response it sends bytes that no request asked for."""

    variants = ("status 400", "response", "response without a pause")

    def __init__(self, variant, contents):
        self.variant, self.contents = variant, contents
        self.is_right, self.log = False, []
        self.hostile = 0
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection = self.listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        received = b""
        try:
            with connection:
                while True:
                    while b"\r\n\r\n" not in received:
                        data = connection.recv(65536)
                        if not data:
                            return
                        received += data
                    header, received = received.split(b"\r\n\r\n", 1)
                    self.answer(connection, header.split()[1].decode())
        except OSError:
            pass

    def answer(self, connection, path):
        self.log.append(path)
        content = self.contents.get(path)
        if content is None:
            connection.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            return
        response = self.response(content)
        if self.is_right or path != "/first":
            connection.sendall(response)
            return
        self.hostile += 1
        if self.variant == "status 400":
            late = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        else:
            late = self.response(b"injected")
        if self.variant == "response without a pause":
            connection.sendall(response + late)
        else:
            connection.sendall(response)
            time.sleep(0.3)
            connection.sendall(late)

    def response(self, content):
        return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(content), content)
