import LonghaulCore
import TestSupport
import Testing

/// An error is one line with the remedy and, with `-v`, its code; the exit status shows the kind.
@Suite(.onEachTransport) struct ErrorLineTests {
    private let product: Product
    private let server: NastyServer

    init() throws {
        product = try Product()
        server = try NastyServer(routes: ["/a": Route(.file(Content(seed: 1, length: 1_000)))])
    }

    private func expect(
        _ status: Int32, _ code: String, _ advice: String, _ arguments: String...,
        location: SourceLocation = #_sourceLocation
    ) async throws {
        let words = arguments.prefix(1) + ["-v"] + arguments.dropFirst()
        let result = try await product.call("longhaul", Array(words)).run()
        // A slow machine may have time to print a progress message before it fails.
        let last = result.errorOutput.split(separator: "\n").last ?? ""
        #expect(result.exitStatus == status, sourceLocation: location)
        #expect(result.output.isEmpty, sourceLocation: location)
        #expect(
            last.hasPrefix("longhaul: ") && last.hasSuffix(" [\(code)]") && last.contains(advice),
            "\(result.errorOutput)", sourceLocation: location)
    }

    @Test func aResultThatCannotBeWrittenIsNoSuccess() async throws {
        let call = ProgramCall(
            "/bin/sh", ["-c", "longhaul help > /dev/full; echo $?; longhaul help >&-; echo $?"],
            environment: product.environment)
        let result = try await call.run()
        #expect(result.output == "3\n0\n")
        #expect(result.errorOutput.hasPrefix("longhaul: Cannot write to standard output: "))
    }

    @Test func aNameThatIsNotUTF8IsNoOtherName() async throws {
        let script =
            "cd \"$HOME\"; printf x > \"$(printf 'n\\377')\"; longhaul upload \"$(printf 'n\\377')\" \(server.url("/a")); echo $?"
        let result = try await ProgramCall("/bin/sh", ["-c", script], environment: product.environment).run()
        #expect(result.output == "2\n" && result.errorOutput.contains("Argument 2 is not UTF-8"))
    }

    @Test func removedWorkingDirectoryFailsDownload() async throws {
        let script =
            "mkdir \"$HOME/gone\"; cd \"$HOME/gone\"; rmdir \"$HOME/gone\"; longhaul download \(server.url("/a")); echo $?"
        let result = try await ProgramCall("/bin/sh", ["-c", script], environment: product.environment).run()
        #expect(result.output == "3\n" && result.errorOutput.contains("directory"))
    }

    @Test func anUnknownHost() async throws {
        // The resolver fails locally: no host has such a long label.
        let name = String(repeating: "x", count: 64) + ".invalid"
        try await expect(4, "hostNotFound", "Check the URL", "download", "--retry", "0", "http://\(name)/a")
    }

    @Test func aRefusedConnection() async throws {
        try await expect(
            4, "connectionRefused", "Check the port", "download", "--retry", "0",
            "http://127.0.0.1:\(try NastyServer.refusingPort())/a")
    }

    @Test func aFileThatTheServerDoesNotHave() async throws {
        try await expect(6, "notFound", "check the URL", "download", server.url("/b"))
    }

    @Test(arguments: [
        ("http://", "invalidURL"), ("http://[::1", "invalidURL"), ("http://a b/", "invalidURL"),
        ("http://127.0.0.1:99999/", "invalidURL"), ("nonsense", "invalidURL"),
        ("ftp://127.0.0.1/a", "unsupportedScheme"),
    ])
    func aBadURL(url: String, code: String) async throws {
        try await expect(2, code, ":", "download", url)
    }

    @Test func aMissingFile() async throws {
        try await expect(3, "sourceMissing", "There is no file", "upload", "absent", server.url("/a"))
        try await expect(3, "sourceMissing", "There is no file", "upload", "-F", "a=@absent", server.url("/a"))
    }

    @Test(arguments: ["/proc", "/proc/self", "/proc/absent", "file", "file/absent"])
    func aDirectoryThatCannotBeWritten(path: String) async throws {
        try product.home.write([1], to: "work/file")
        try await expect(3, "destinationUnwritable", "hoose a", "download", "-d", path, server.url("/a"))
    }

    @Test func aWrongDigest() async throws {
        try await expect(
            9, "digestMismatch", "Download it again", "download", "--sha256", String(repeating: "0", count: 64),
            server.url("/a"))
        #expect(try await product.workNames.isEmpty)
    }

    @Test func aFileInTheWay() async throws {
        try product.home.write([1, 2, 3], to: "work/a")
        try await expect(3, "destinationExists", "--overwrite", "download", "-o", "a", server.url("/a"))
        #expect(try product.home.read("work/a") == [1, 2, 3])
    }

    @Test func mistypedCommandsAreRejected() async throws {
        let result = try await product.longhaul("download")
        #expect(result.exitStatus == 2)
        #expect(try await product.longhaul("downlaod", "x").errorOutput.contains("download"))
        #expect(try await product.longhaul("show", "ffff").exitStatus == 13)
    }
}
