import LonghaulCore
import TestSupport
import Testing

/// A server for one form, which reports how another program parses it: the parser of Python's standard library.
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

    private let server: NastyServer
    private let body = Monitor<[UInt8]>([])

    init() throws {
        let body = body
        let reply = Reply.status(201).with { reply in
            reply.onBody = { bytes in body.update { $0 += bytes } }
        }
        server = try NastyServer(routes: ["/form": Route(reply)])
    }

    var url: String { server.url("/form") }

    /// Returns the form after it has arrived.
    func form() async throws -> Form {
        let request = try #require(try await server.waitForFinishedRequests(1).first)
        let words = [
            request.header("Content-Type") ?? "", request.header("Content-Length") ?? "", "\(request.bodyLength)",
        ]
        var call = ProgramCall("/usr/bin/python3", ["-c", Self.script] + words)
        call.input = body.value
        let result = try await call.run()
        let lines = result.output.split(separator: "\n").map { line in
            line.split(separator: " ", omittingEmptySubsequences: false).map { Self.bytes(String($0)) }
        }
        func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
        guard let lengths = lines.first else {
            throw TransferFailure(.fileFailed, "no form came: \(result.errorOutput)")
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

    /// Prints every value in hexadecimal: the lengths, and the name, file name, type, and body of each part.
    private static let script = """
        import email.parser, email.policy, sys
        kind, *lengths = [word.encode() for word in sys.argv[1:]]
        head = b"Content-Type: " + kind + b"\\r\\n\\r\\n"
        form = email.parser.BytesParser(policy=email.policy.compat32).parsebytes(head + sys.stdin.buffer.read())
        def show(*values): print(" ".join(value.hex() for value in values))
        show(*lengths)
        for part in form.get_payload():
            line = part._headers[0][1] if part._headers[0][0].lower() == "content-disposition" else ""
            line = line.encode("utf-8", "surrogateescape").decode()
            def value(name):
                start = line.find("; " + name + '="')
                return None if start < 0 else line[start + len(name) + 4:line.index('"', start + len(name) + 4)].encode()
            file = value("filename")
            show(value("name"), b"" if file is None else b"!" + file, part.get_content_type().encode(),
                part.get_payload(decode=True))
        """
}
