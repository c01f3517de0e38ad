"""A directory with its own queue, service, and certificate, for the runs of scripts/storm."""

import hashlib
import os
import shutil
import signal
import subprocess
import tempfile


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class StormHome:
    def __init__(self, programs, directories):
        self.programs = programs
        self.place = tempfile.mkdtemp(prefix="longhaul-storm.", dir=os.environ.get("TMPDIR", "/var/tmp"))
        self.servers = []
        self.environment = {
            "PATH": f"{programs}:/usr/bin:/bin", "HOME": self.place, "LANG": "C.UTF-8",
            "XDG_STATE_HOME": self.path("state"), "XDG_RUNTIME_DIR": self.path("run"),
        }
        for name in ("run", "state", "downloads", *directories):
            os.mkdir(self.path(name), 0o700 if name == "run" else 0o755)

    def path(self, *names):
        return os.path.join(self.place, *names)

    def make_certificate(self):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=localhost",
             "-addext", "subjectAltName=DNS:localhost", "-keyout", self.path("key.pem"), "-out", self.path("cert.pem")],
            check=True, capture_output=True)

    def longhaul(self, *arguments, timeout=None):
        return subprocess.run(
            ["longhaul", *arguments], env=self.environment, executable=f"{self.programs}/longhaul",
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=timeout)

    def services(self):
        """Returns the longhauld processes of this storm, which have its directory in their environment."""
        mark = f"XDG_STATE_HOME={self.path('state')}".encode()
        for process in os.listdir("/proc"):
            try:
                with open(f"/proc/{process}/environ", "rb") as file:
                    if mark not in file.read().split(b"\0"):
                        continue
                if os.readlink(f"/proc/{process}/exe").endswith("/longhauld"):
                    yield int(process)
            except (OSError, ValueError):
                continue

    def clean_up(self, keep):
        for server in self.servers:
            server.kill()
            server.wait()
        for process in list(self.services()):
            os.kill(process, signal.SIGKILL)
        if keep:
            print(f"kept for inspection: {self.place}")
        else:
            shutil.rmtree(self.place, ignore_errors=True)
