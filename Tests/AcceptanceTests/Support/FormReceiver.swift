import LonghaulCore
import TestSupport

/// A server for one form, written with nothing but Python's standard library, that tells what it read.
final class FormReceiver: Sendable {
    struct Part: Sendable {
        var name: String
        var fileName: String?
        var type: String
        var body: [UInt8]
    }

    struct Form: Sendable {
        var announcedLength: Int
        var receivedLength: Int
        var parts: [Part]
    }

    private let process: ChildProcess
    let url: String

    init() throws {
        process = try ChildProcess(ProgramCall("/usr/bin/python3", ["-c", Self.script]))
        let port = try process.waitForOutput(for: "its port") { $0.split(separator: "\n").first.map(String.init) }
        url = "http://127.0.0.1:\(port)/form"
    }

    /// The form, when it has come.
    func form() async throws -> Form {
        try await process.waitForEnd()
        let lines = process.output.split(separator: "\n").dropFirst().map { line in
            line.split(separator: " ", omittingEmptySubsequences: false).map { Self.bytes(String($0)) }
        }
        func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
        guard let lengths = lines.first else {
            throw TransferFailure(.fileFailed, "no form came: \(process.errorOutput)")
        }
        return Form(
            announcedLength: Int(text(lengths[0])) ?? -1, receivedLength: Int(text(lengths[1])) ?? -2,
            parts: lines.dropFirst().map { words in
                Part(
                    name: text(words[0]), fileName: words[1].first.map { _ in text(Array(words[1].dropFirst())) },
                    type: text(words[2]), body: words[3])
            })
    }

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var high: UInt8?
        for digit in hexadecimal.utf8 {
            let value = digit <= UInt8(ascii: "9") ? digit - UInt8(ascii: "0") : digit - UInt8(ascii: "a") + 10
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }

    /// Prints its port, then every value in hexadecimal: the lengths, and name, file name, type and body of each part.
    private static let script = """
        import email.parser, email.policy, http.server
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def do_POST(self):
                announced = int(self.headers["Content-Length"])
                body = self.rfile.read(announced)
                self.connection.setblocking(False)
                try: body += self.rfile.read() or b""
                except OSError: pass
                self.connection.setblocking(True)
                head = b"Content-Type: " + self.headers["Content-Type"].encode() + b"\\r\\n\\r\\n"
                form = email.parser.BytesParser(policy=email.policy.compat32).parsebytes(head + body)
                def show(*values): print(" ".join(value.hex() for value in values), flush=True)
                def raw(text): return str(text).encode("ascii", "surrogateescape") if text is not None else b""
                show(str(announced).encode(), str(len(body)).encode())
                for part in form.get_payload():
                    line = part._headers[0][1] if part._headers[0][0].lower() == "content-disposition" else ""
                    line = line.encode("utf-8", "surrogateescape").decode()
                    def value(name):
                        start = line.find("; " + name + '="')
                        return None if start < 0 else line[start + len(name) + 4:line.index('"', start + len(name) + 4)].encode()
                    file = value("filename")
                    show(value("name"), b"" if file is None else b"!" + file, part.get_content_type().encode(),
                        part.get_payload(decode=True))
                self.send_response(201)
                self.send_header("Content-Length", "0")
                self.end_headers()
                self.close_connection = True
            def log_message(self, *values): pass
        server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_port, flush=True)
        server.handle_request()
        """
}
