"""Serves a file of 32 MiB at 127.0.0.1:8080: at 20 KiB per second, or at full speed while /check/hurry exists.

/big.bin has 1 GiB. The server sends the first half at full speed, and the other half while /check/hurry exists.
The server logs each request to /check/requests, and writes its port to /check/listening once it listens.
"""

import http.server
import os
import time

CONTENT = bytes(range(256)) * (128 << 10)
BIG = 32 * len(CONTENT)


def pieces(path, begin, end):
    """Yields the bytes from begin to end, at the speed for the path."""
    while begin < end:
        hurries = os.path.exists("/check/hurry")
        if path == "/big.bin":
            hurries = hurries or begin < BIG // 2
            step = 1 << 20 if hurries else 0
        else:
            step = len(CONTENT) if hurries else 1024
        place = begin % len(CONTENT)
        yield CONTENT[place:place + min(step, end - begin)]
        begin += min(step, end - begin, len(CONTENT) - place)
        if not hurries:
            time.sleep(0.05)


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        wanted = self.headers.get("Range", "")
        with open("/check/requests", "a") as requests:
            print(self.path, wanted, file=requests)
        length = BIG if self.path == "/big.bin" else len(CONTENT)
        first, _, last = wanted.removeprefix("bytes=").partition("-")
        begin, end = int(first or 0), min(int(last or length) + 1, length)
        self.send_response(206 if wanted else 200)
        if wanted:
            self.send_header("Content-Range", f"bytes {begin}-{end - 1}/{length}")
        self.send_header("ETag", '"one"')
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(end - begin))
        self.end_headers()
        try:
            for piece in pieces(self.path, begin, end):
                self.wfile.write(piece)
        except OSError:
            self.close_connection = True

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 8080), Handler)
with open("/check/listening", "w") as listening:
    print(server.server_port, file=listening)
server.serve_forever()
