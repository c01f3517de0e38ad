import LonghaulCore
import TestSupport
import Testing

@Suite(.onEachTransport) struct RealServerTests {
    private let content = Content(seed: 5, length: 400_000)

    @Test(.enabled(if: Nginx.missing == nil, "\(Nginx.missing ?? "")"))
    func nginxServesStoresAndLogs() throws {
        let nginx = try Nginx()
        let directory = try TemporaryDirectory()
        try directory.write(content, to: "a")
        try nginx.serve(content, as: "a.bin")
        #expect(try curl("-T", directory.path("a"), nginx.url("/dav/b.bin")).code == 0)
        #expect(try nginx.uploaded("b.bin") == content.bytes())
        #expect(try curl("-r", "399990-", "-o", "/dev/null", nginx.url("/a.bin")).code == 0)
        #expect(try curl("-D", "-", nginx.url("/busy/")).output.contains("Retry-After: 2"))
        let log = try nginx.waitForLog(3)
        #expect(log.map(\.status) == [201, 206, 503])
        #expect(log[0].requestLength > content.length && log[0].isComplete)
        #expect(log[1].bodyBytesSent == 10 && log[1].range == "bytes=399990-")
    }

    @Test(
        .enabled(if: Nginx.missing == nil, "\(Nginx.missing ?? "")"),
        arguments: [
            ("/a.txt", "206 Partial Content", "ETag: \""), ("/norange/a.txt", "200 OK", "ETag: \""),
            ("/noetag/a.txt", "206 Partial Content", "Last-Modified"),
            ("/gz/a.txt", "200 OK", "Content-Encoding: gzip"),
            ("/cd/a.txt", "206 Partial Content", "na%C3%AFve.bin"), ("/slow/a.txt", "206 Partial Content", "ETag"),
        ])
    func nginxLocationsDiffer(path: String, status: String, field: String) throws {
        let nginx = try Nginx()
        try nginx.serve([UInt8](repeating: 65, count: 1_000), as: "a.txt")
        let head = try curl("-D", "-", "-o", "/dev/null", "-H", "Accept-Encoding: gzip", "-r", "0-9", nginx.url(path))
            .output
        #expect(head.contains(status) && head.contains(field))
    }

    @Test(.enabled(if: Apache.missing == nil, "\(Apache.missing ?? "")"))
    func apacheTakesUploadsWithPreconditions() throws {
        let apache = try Apache()
        let directory = try TemporaryDirectory()
        try directory.write(content, to: "a")
        let arguments = [
            "-s", "-w", "%{http_code}", "-o", "/dev/null", "-H", "If-None-Match: *", "-T", directory.path("a"),
        ]
        let answers = try (0..<2).map { _ in
            try ProgramCall("/usr/bin/curl", arguments + [apache.url("/dav/b.bin")]).run().output
        }
        #expect(answers == ["201", "412"])
        #expect(try apache.uploaded("b.bin") == content.bytes())
        try apache.serve(content, as: "deflate/c.bin")
        #expect(try curl("-I", "--compressed", apache.url("/deflate/c.bin")).output.contains("Content-Encoding: gzip"))
    }

    @Test(.enabled(if: ResumableUploadServer.missing == nil, "\(ResumableUploadServer.missing ?? "")"))
    func theTusServerKeepsItsUploadsThroughACrash() throws {
        let server = try ResumableUploadServer()
        let created = try curl(
            "-D", "-", "-X", "POST", "-H", "Tus-Resumable: 1.0.0", "-H", "Upload-Length: 10", server.creationURL
        ).output
        let location = try #require(created.split(separator: "\r\n").first { $0.lowercased().hasPrefix("location: ") })
        server.kill()
        try server.restart()
        let url = "http://127.0.0.1:\(server.port)\(location.dropFirst(10))"
        let head = try curl("-I", "-H", "Tus-Resumable: 1.0.0", url).output.lowercased()
        #expect(head.contains("upload-offset: 0") && head.contains("upload-length: 10"))
    }
}
