"""The servers of the desktop examples, for scripts/demo-desktop: an album, a feed of videos, and the weather.

Prints its address, and then a line for each request. Transfers are slow, so that their progress is visible. The argument
is the number of seconds after which the album replies to a photo.
"""

import http.server
import json
import sys
import time

THINKS = float(sys.argv[1]) if len(sys.argv) > 1 else 2
VIDEO = 24 << 20
TITLES = ["Result Builders", "Actors from Scratch", "Typed Throws", "Noncopyable Types", "Key Paths Everywhere",
          "SQLite by Hand", "Swift on the Server", "C Interop"]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        """A photo arrives at 4 MB/s, and the album replies after a pause. One album is always too busy."""
        if self.path.startswith("/busy"):
            self.send_response(503)
            self.send_header("Retry-After", "3600")
            self.send_header("Content-Length", "0")
            self.send_header("Connection", "close")
            self.end_headers()
            self.close_connection = True
            return
        left = int(self.headers.get("Content-Length", 0))
        while left > 0:
            piece = self.rfile.read(min(left, 1 << 18))
            if not piece:
                return
            left -= len(piece)
            time.sleep(len(piece) / 4e6)
        print(time.strftime("%H:%M:%S"), "received a photo", flush=True)
        time.sleep(THINKS)
        self.reply(201, b"thanks", "text/plain")

    do_PUT = do_POST

    def do_GET(self):
        if self.path == "/weather":
            self.reply(200, "Thunderstorm +9°C".encode(), "text/plain; charset=utf-8")
        elif self.path == "/feed.json":
            self.reply(200, json.dumps(self.feed()).encode(), "application/feed+json")
        elif self.path.startswith("/video/"):
            self.video(int(self.path.removeprefix("/video/").removesuffix(".mp4")))
        else:
            self.reply(404, b"not here", "text/plain")

    def feed(self):
        host = f"http://{self.headers['Host']}"
        return {"version": "https://jsonfeed.org/version/1.1", "title": "Swift Screencasts", "items": [
            {"id": f"episode-{number}", "title": f"{number}. {title}", "date_published": f"2026-01-{number:02}T10:00:00Z",
             "attachments": [{"url": f"{host}/video/{number}.mp4", "mime_type": "video/mp4", "size_in_bytes": VIDEO,
                              "duration_in_seconds": 900 + number * 60}]}
            for number, title in enumerate(TITLES, 1)]}

    def video(self, number):
        """Sends a video, whole or from any byte: the first immediately, and each next one slower than the one before."""
        rate = 1e8 if number == 1 else 7e5 / (number - 1)
        asked = self.headers.get("Range", "")
        first = int(asked[6:].split("-")[0] or 0) if asked.startswith("bytes=") else 0
        self.send_response(206 if asked else 200)
        if asked:
            self.send_header("Content-Range", f"bytes {first}-{VIDEO - 1}/{VIDEO}")
        for name, value in [("Content-Length", VIDEO - first), ("ETag", '"1"'), ("Accept-Ranges", "bytes"),
                            ("Content-Type", "video/mp4")]:
            self.send_header(name, str(value))
        self.end_headers()
        while first < VIDEO:
            piece = bytes(min(1 << 18, VIDEO - first))
            self.wfile.write(piece)
            first += len(piece)
            time.sleep(len(piece) / rate)

    def reply(self, status, body, kind):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        print(time.strftime("%H:%M:%S"), arguments[0] % arguments[1:], flush=True)

    def handle(self):
        try:
            super().handle()
        except ConnectionError:
            pass  # A client that was killed or has paused.


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(f"http://127.0.0.1:{server.server_port}", flush=True)
try:
    server.serve_forever()
except KeyboardInterrupt:
    sys.exit(0)
