import Glibc
import LonghaulCore
import TestSupport
import Testing

/// A user at a terminal: git's own helper, a helper of the service, and a signed URL that has expired.
@Suite(.tags(.libcurl), .onEachTransport) struct CredentialTests {
    private static let secret = "S3CRET-of-ada"
    private let product: Product
    private let server: NastyServer
    private let content = Content(seed: 8, length: 2_000_000)

    init() throws {
        product = try Product()
        let file = Reply.file(content, etag: "\"v1\"")
        let basic = "Basic " + Base64.encode("ada:\(Self.secret)".utf8)
        server = try NastyServer(routes: [
            "/a": .decided { request, _ in request.header("Authorization") == basic ? file : .status(401) },
            "/signed": .decided { request, visit in
                if request.query == "signature=new" { return file }
                return visit == 0 ? file.cut(after: 1_000_000) : .status(403)
            },
        ])
    }

    private var scheme: String { server.transport.isSecure ? "https" : "http" }
    private var origin: String { String(server.url("").split(separator: "/").last ?? "") }

    /// Returns the service's files that contain the text.
    private func stateFiles(holding text: String) async throws -> String {
        try await ProgramCall("/bin/grep", ["-rlaF", "-e", text, product.home.path("state")]).run().output
    }

    @Test(.enabled(if: access("/usr/bin/git", X_OK) == 0, "git is not installed"))
    func gitsHelperOpensTheWayAndTheSecretStaysWithIt() async throws {
        let id = try await product.succeed("download", "--detach", "--credential", "files", server.url("/a"))
        let waiting = try await product.wait(for: id, "a wait for missing credentials") {
            $0["reason"] == "credentials" && $0["code"] != nil
        }
        #expect(waiting["code"] == "credentialsRequired")
        #expect(try await product.succeed("doctor").contains("1 transfer waits for credentials"))
        #expect(server.requests.isEmpty)

        let file = product.home.path("work/.credentials")
        try product.home.write(Array("\(scheme)://ada:\(Self.secret)@\(origin)\n".utf8), to: "work/.credentials")
        try await product.succeed("credentials", "helper", "--", "git", "credential-store", "--file", file)
        try await product.succeed("watch", id)
        #expect(try product.home.read("work/a") == content.bytes())
        #expect(server.requests.count == 1)

        var told = ""
        for command in [["show", id], ["show", "--json", id], ["history", id], ["credentials"], ["list", "--all"]] {
            told += try await product.call("longhaul", command).run().output
        }
        #expect(told.contains("files") && !told.contains(Self.secret))
        #expect(try await stateFiles(holding: Self.secret) == "")
        #expect(try await stateFiles(holding: Base64.encode("ada:\(Self.secret)".utf8)) == "")
    }

    @Test func theServicesOwnHelperServesEverySession() async throws {
        var call = product.call("longhaul", ["download", "-q", "--credential", "files", server.url("/a")])
        call.environment["LONGHAUL_CREDENTIAL_HELPER"] =
            "printf 'username=ada\\npassword=\(Self.secret)\\n'; :"
        let result = try await call.run()
        #expect(result.exitStatus == 0, "\(result.errorOutput)")
        #expect(try product.home.read("work/a") == content.bytes())
    }

    @Test func aSignedURLIsReplacedFromStandardInput() async throws {
        let failed = try await product.longhaul("download", "-q", server.url("/signed?signature=old"))
        #expect(failed.exitStatus == 6 && failed.errorOutput.contains("replace-url"))
        let id = try #require(try await product.list("--state", "failed").first?["id"])
        var call = product.call("longhaul", ["replace-url", id, "-"])
        call.input = Array((server.url("/signed?signature=new") + "\n").utf8)
        let replaced = try await call.run()
        #expect(replaced.exitStatus == 0 && !(replaced.output + replaced.errorOutput).contains("signature"))
        try await product.succeed("watch", id)
        #expect(try product.home.read("work/signed") == content.bytes())
        #expect(server.requests.last?.range?.first == 995_904)
    }
}
