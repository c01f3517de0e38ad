import Glibc
import LonghaulCore
import TestSupport
import Testing

/// Parts, newer files, lists of checksums, and signatures, with a real server and the real gpgv.
@Suite(.onEachTransport, .enabled(if: Nginx.missing == nil, "\(Nginx.missing ?? "")"))
struct ProofTests {
    private let product: Product
    private let server: Nginx
    private let content = Content(seed: 71, length: 3_000_000)

    init() throws {
        product = try Product()
        server = try Nginx()
        try server.serveOld(content, as: "f")
    }

    @Test func aPartIsDownloadedAsAFile() async throws {
        try await product.succeed("download", "-q", "--range", "1000-2499999", server.url("/f"))
        #expect(try product.home.read("work/f") == Array(content.bytes()[1_000...2_499_999]))
        try await product.succeed("download", "-q", "-o", "end", "--range", "2999990-", server.url("/f"))
        #expect(try product.home.read("work/end") == Array(content.bytes()[2_999_990...]))
        let none = try await product.longhaul("download", "-q", "-o", "no", "--range", "0-9", server.url("/norange/f"))
        #expect(none.errorOutput.contains("does not support ranges"), "\(none.errorOutput)")
        let beyond = try await product.longhaul("download", "-q", "-o", "no", "--range", "3000000-", server.url("/f"))
        #expect(beyond.errorOutput.contains("(416)"), "\(beyond.errorOutput)")
        #expect(try await product.workNames == ["end", "f"])
    }

    @Test func killedRangeDownloadResumesAtItsOffset() async throws {
        let relay = try CountingRelay(to: server.port, downLimit: 1_000_000)
        let url = "\(Transport.current.scheme)://127.0.0.1:\(relay.port)/f"
        let id = try await product.succeed("download", "--detach", "--range", "500000-2999998", url)
        _ = try await relay.wait(for: "a million bytes") { $0.down >= 1_000_000 ? true : nil }
        try await product.waitUntilResumable(id)
        try await product.killService()
        relay.allow(down: .max)
        try await product.succeed("watch", id)
        #expect(try product.home.read("work/f") == Array(content.bytes()[500_000...2_999_998]))
        #expect(try await product.facts(id)["restartReason"] == nil)
    }

    @Test func onlyWhatIsNewerIsFetched() async throws {
        for _ in 0..<2 { try await product.succeed("download", "-q", "-N", server.url("/f")) }
        try product.home.write("newer here".utf8, to: "work/f")
        let path = try await product.succeed("download", "-q", "-N", server.url("/f"))
        #expect(path == product.home.path("work/f"))
        #expect(try product.home.read("work/f") == Array("newer here".utf8))
        var times = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
        utimensat(AT_FDCWD, product.home.path("work/f"), &times, 0)
        try await product.succeed("download", "-q", "-N", server.url("/f"))
        #expect(try product.home.read("work/f") == content.bytes())
        // nginx has a file with exactly this date.
        #expect(server.log.map(\.status) == [200, 304, 200, 200])
        #expect(try await product.workNames == ["f"])
    }

    @Test func newerFileCheckSkipsUnchangedListEntries() async throws {
        try server.serveOld(content, as: "g")
        try product.home.write("\(server.url("/f"))\n\(server.url("/g"))\n  out=h\n".utf8, to: "work/list")
        for said in ["downloaded", "unchanged"] {
            let result = try await product.longhaul("download", "-N", "-i", "list")
            #expect(result.exitStatus == 0 && result.errorOutput.contains(" \(said) f"), "\(result.errorOutput)")
        }
        #expect(try await server.waitForLog(4).map(\.status).sorted() == [200, 200, 304, 304])
        #expect(try await product.workNames == ["f", "h", "list"])
        // A file with the server's own date and the same last bytes is resumed.
        try await product.succeed("download", "-c", server.url("/f"))
        #expect(server.log.last?.range == "bytes=\(3_000_000 - ContinuationRule.overlap(of: 3_000_000))-")
    }

    @Test func theChecksumComesFromAList() async throws {
        try product.home.write(content, to: "f")
        var call = ProgramCall("/usr/bin/sha256sum", ["f"])
        call.directory = product.home.path
        let sum = try await call.run().output
        try server.serve(Array((sum + String(repeating: "0", count: 64) + "  g\n").utf8), as: "SHA256SUMS")
        try server.serve(content, as: "g")
        try server.serve(content, as: "h")
        let list = server.url("/SHA256SUMS")
        try await product.succeed("download", "-q", "--checksum-file", list, server.url("/f"))
        for (name, words) in [("g", "does not match its digest"), ("h", "--checksum-file")] {
            let result = try await product.longhaul("download", "-q", "--checksum-file", list, server.url("/" + name))
            #expect(result.errorOutput.contains(words), "\(result.errorOutput)")
        }
        let missing = try await product.longhaul(
            "download", "-q", "--checksum-file", server.url("/none"), "-o", "x", server.url("/f"))
        #expect(missing.errorOutput.contains("(404)"), "\(missing.errorOutput)")
        #expect(try await product.workNames == ["f"])
    }

    @Test(.enabled(if: Signer.missing == nil, "\(Signer.missing ?? "")")) func aSignatureIsCheckedFirst() async throws {
        let signer = try Signer(in: product.home)
        try server.serve(try signer.sign(content.bytes()), as: "f.sig")
        try server.serve(Array("small".utf8), as: "note")
        try server.serve(try signer.sign(Array("small".utf8)), as: "note.sig")
        let keyring = ["--keyring", product.home.path("keyring.gpg")]
        for (name, signature, expected) in [
            ("f", "f.sig", ""), ("note", "note.sig", ""), ("note", "f.sig", "does not match the file"),
            ("f", "note", "it is not a detached OpenPGP signature"),
        ] {
            let words = ["download", "-q", "--signature", server.url("/" + signature), server.url("/" + name)]
            let result = try await product.call("longhaul", words + keyring).run()
            if signature == "note" {
                #expect(result.exitStatus == 2 && result.errorOutput.contains(expected), "\(result.errorOutput)")
                continue
            }
            if expected.isEmpty {
                #expect(result.exitStatus == 0, "\(result.errorOutput)")
            } else {
                #expect(result.exitStatus == 9 && result.errorOutput.contains(expected), "\(result.errorOutput)")
                #expect(result.errorOutput.contains("signature"))
            }
        }
        #expect(product.home.names("work").filter { !$0.hasPrefix(".") } == ["f", "note"])
        // The keys that a project publishes are usually a text.
        let armored = ["--keyring", product.home.path("keyring.asc")]
        let words = ["download", "-q", "--overwrite", "-o", "f", "--signature", server.url("/f.sig"), server.url("/f")]
        let result = try await product.call("longhaul", words + armored).run()
        #expect(result.exitStatus == 0, "\(result.errorOutput)")
    }

    @Test func lastBytesAreDownloadedAsAFile() async throws {
        try await product.succeed("download", "-q", "--range", "-500", server.url("/f"))
        #expect(try product.home.read("work/f") == content.bytes().suffix(500))
        try await product.succeed("download", "-q", "-o", "all", "-r", "-4000000", server.url("/f"))
        #expect(try product.home.read("work/all") == content.bytes())
    }

    @Test func lastBytesContinueAfterAKill() async throws {
        let relay = try CountingRelay(to: server.port, downLimit: 1_000_000)
        let url = "\(Transport.current.scheme)://127.0.0.1:\(relay.port)/f"
        let id = try await product.succeed("download", "--detach", "--range", "-2500000", url)
        _ = try await relay.wait(for: "a million bytes") { $0.down >= 1_000_000 ? true : nil }
        try await product.waitUntilResumable(id)
        try await product.killService()
        relay.allow(down: .max)
        try await product.succeed("watch", id)
        #expect(try product.home.read("work/f") == content.bytes().suffix(2_500_000))
        #expect(try await product.facts(id)["restartReason"] == nil)
    }
}
