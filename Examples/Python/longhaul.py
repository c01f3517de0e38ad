#!/usr/bin/env python3
"""Submits downloads to longhauld, watches them, and controls them, over its socket: docs/internals/ipc-protocol.md.

    protoc --python_out=. -I docs/internals docs/internals/*.proto
    pip install protobuf
    longhaul service start
    ./longhaul.py download https://example.org/film.mp4 [DIRECTORY]   prints the transfer's identifier
    ./longhaul.py watch [ID]                                          until the transfer has ended; all, until Ctrl-C
    ./longhaul.py pause|resume|cancel|retry|remove ID
"""
import os, socket, struct, sys, uuid

import longhaul_ipc_pb2 as ipc
import longhaul_pb2 as pb

VERSION = 1
SESSION = pb.SessionID(name="org.example.python")


class Service:
    def __init__(self):
        state = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(os.path.join(state, "longhaul", "socket"))
        self.number = 0
        self.send(hello=ipc.Greeting(version=VERSION, program="longhaul.py"))
        self.answer()

    def send(self, **message):
        """Sends a request, and returns its number."""
        self.number += 1
        bytes = ipc.ClientEnvelope(request=self.number, **message).SerializeToString()
        self.socket.sendall(struct.pack("<IB", len(bytes) + 1, VERSION) + bytes)
        return self.number

    def read(self, count):
        data = b""
        while len(data) < count:
            more = self.socket.recv(count - len(data))
            if not more: sys.exit("The service exited. Requests that it confirmed are on disk.")
            data += more
        return data

    def answer(self):
        """Returns the next message of the service. It belongs to the last request, because only one is active at a time."""
        length, version = struct.unpack("<IB", self.read(5))
        answer = ipc.ServiceEnvelope.FromString(self.read(length - 1))
        failure = answer.failed if answer.HasField("failed") else answer.session.failed
        if failure.code: sys.exit(f"{failure.summary} [{failure.code}]")
        return answer

    def ask(self, **command):
        command = pb.SessionCommand(**command)
        self.send(session=ipc.SessionCommandRequest(session=SESSION, command=command))
        return self.answer().session

    def download(self, url, directory="."):
        spec = pb.TransferSpec(download=pb.DownloadSpec(directory=os.path.abspath(directory)), url=url)
        for item in self.ask(submit=pb.TransferSpecs(items=[spec])).submitted.items:
            if item.HasField("refused"): sys.exit(item.refused.summary)
            print(uuid.UUID(int=item.accepted.high << 64 | item.accepted.low))

    def watch(self, id=None):
        self.send(watch=ipc.WatchRequest(session=SESSION, selection=selection(id)))
        while True:
            for transfer in self.answer().update.changed:
                state = transfer.state.WhichOneof("state")
                total = transfer.bytesTotal if transfer.HasField("bytesTotal") else "?"
                print(f"{transfer.name}: {state}, {transfer.bytesDone} of {total} bytes", flush=True)
                if id and state in ("succeeded", "failed", "cancelled"):
                    sys.exit(state != "succeeded")

    def control(self, verb, id):
        verb = f"CONTROL_VERB_{verb.upper()}"
        answer = self.ask(control=pb.ControlRequest(verb=verb, selection=selection(id)))
        for refusal in answer.controlled.refusals: sys.exit(refusal.failure.summary)


def selection(id):
    if id is None:
        return pb.TransferSelection(all=pb.Empty())
    number = uuid.UUID(id).int
    name = pb.TransferID(high=number >> 64, low=number & (1 << 64) - 1)
    return pb.TransferSelection(ids=pb.TransferIDs(items=[name]))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["download", *rest] if rest: Service().download(*rest[:2])
        case ["watch", *rest]: Service().watch(*rest[:1])
        case [("pause" | "resume" | "cancel" | "retry" | "remove") as verb, id]: Service().control(verb, id)
        case _: sys.exit(__doc__)
