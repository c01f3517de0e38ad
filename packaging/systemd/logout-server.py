"""Serves one file of 32 MiB at 127.0.0.1:8080, a few kilobytes a second until /check/hurry is there."""

import http.server
import os
import time

CONTENT = bytes(range(256)) * (128 << 10)


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        wanted = self.headers.get("Range", "")
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


http.server.ThreadingHTTPServer(("127.0.0.1", 8080), Handler).serve_forever()
