import LonghaulCore
import TestSupport
import Testing

@Suite(.onEachTransport) struct TusServiceTests {
    private let content = Content(seed: 3, length: 5_000)
    private let tus = TusService(path: "/files/")
    private let server: NastyServer
    private let directory: TemporaryDirectory

    init() throws {
        server = try NastyServer(routes: ["/files/*": tus.route])
        directory = try TemporaryDirectory()
        try directory.write(content, to: "a")
    }

    private func create() throws -> String {
        try curl("-D", "-", "-X", "POST", "-H", "Upload-Length: 5000", server.url("/files/")).output
    }

    private func patch(from offset: Int) throws -> (code: Int32, output: String) {
        let bytes = content.bytes(Int64(offset)..<content.length)
        try directory.write(bytes, to: "rest")
        let result = try ProgramCall(
            "/usr/bin/curl",
            [
                "-s", "-D", "-", "-X", "PATCH", "-H", "Upload-Offset: \(offset)", "-H", "Expect:",
                "-H", "Content-Type: application/offset+octet-stream", "--data-binary", "@\(directory.path("rest"))",
                server.url("/files/1"),
            ]
        ).run()
        guard case .exited(let code) = result.ending else { return (-1, "") }
        return (code, result.output)
    }

    @Test func interruptedUploadResumesAtItsOffset() throws {
        #expect(try create().contains("Location: /files/1"))
        tus.script("PATCH", .cut(after: 1_234))
        #expect(try patch(from: 0).code != 0)
        let head = try curl("-I", server.url("/files/1")).output
        #expect(head.contains("Upload-Offset: 1234\r\n") && head.contains("Upload-Length: 5000\r\n"))
        #expect(try patch(from: 0).output.contains(" 409 "))
        #expect(try patch(from: 1_234).output.contains("Upload-Offset: 5000"))
        #expect(tus.uploads[0].bytes == content.bytes())
        #expect(tus.uploads[0].checksum == content.checksum)
    }

    @Test func aLostReplyLosesNoBytes() throws {
        _ = try create()
        tus.script("PATCH", .loseReply)
        #expect(try patch(from: 0).code == 52)
        #expect(tus.uploads[0].offset == 5_000)
    }

    @Test func bytesCanBeLostAndLiedAbout() throws {
        _ = try create()
        tus.script("PATCH", .keepOnly(100))
        #expect(try patch(from: 0).output.contains("Upload-Offset: 100\r\n"))
        tus.script("HEAD", .offsetOff(by: 7), .goBackwards(to: 40), .answer(423), .gone(410), .none)
        let answers = try (0..<5).map { _ in try curl("-I", server.url("/files/1")).output }
        #expect(answers[0].contains("Upload-Offset: 107\r\n"))
        #expect(answers[1].contains("Upload-Offset: 40\r\n"))
        #expect(answers[2].contains(" 423 ") && answers[3].contains(" 410 ") && answers[4].contains(" 404 "))
    }

    @Test func anUploadCanBeTerminatedOnce() throws {
        _ = try create()
        let url = server.url("/files/1")
        #expect(try curl("-D", "-", "-X", "DELETE", url).output.contains(" 204 "))
        #expect(try curl("-D", "-", "-X", "DELETE", url).output.contains(" 404 "))
        #expect(tus.uploads.isEmpty)
    }
}
