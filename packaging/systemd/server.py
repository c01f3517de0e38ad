"""Serves one file of 32 MiB at 127.0.0.1:8080, a few kilobytes a second until /check/hurry is there.

It notes each request in /check/requests, and that it listens in /check/listening."""

import http.server
import os
import time

CONTENT = bytes(range(256)) * (128 << 10)


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        wanted = self.headers.get("Range", "")
        with open("/check/requests", "a") as requests:
            print(self.path, wanted, file=requests)
        begin = int(wanted[6:].split("-")[0]) if wanted.startswith("bytes=") else 0
        self.send_response(206 if wanted else 200)
        if wanted:
            self.send_header("Content-Range", f"bytes {begin}-{len(CONTENT) - 1}/{len(CONTENT)}")
        self.send_header("ETag", '"one"')
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(len(CONTENT) - begin))
        self.end_headers()
        try:
            while begin < len(CONTENT):
                hurries = os.path.exists("/check/hurry")
                end = len(CONTENT) if hurries else begin + 1024
                self.wfile.write(CONTENT[begin:end])
                begin = end
                if not hurries:
                    time.sleep(0.05)
        except OSError:
            self.close_connection = True

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 8080), Handler)
with open("/check/listening", "w") as listening:
    print(server.server_port, file=listening)
server.serve_forever()
