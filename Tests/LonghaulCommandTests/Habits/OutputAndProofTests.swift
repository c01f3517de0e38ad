import Glibc
import LonghaulCore
import Synchronization
import Testing

@testable import LonghaulCommand

/// Destinations that are no regular files, and files that verify a download.
struct OutputAndProofTests {
    private func submitted(_ words: [String], in scratch: Scratch) async -> (
        status: Int32, specs: [TransferSpec], said: String
    ) {
        let test = TestWorld()
        var world = test.world(directory: scratch.path)
        world.environment["XDG_STATE_HOME"] = scratch.path
        let status = await Program(world: world).run(words)
        return (status, test.service.state.withLock { $0.submitted }, test.said)
    }

    private static func metalink(files: Int) -> String {
        let hash = String(repeating: "cd", count: 32)
        let entries = (1...files).map { number in
            "<file name=\"f\(number).bin\"><size>4</size><hash type=\"sha-256\">\(hash)</hash><pieces type=\"sha-256\" length=\"2\">"
                + "<hash>\(hash)</hash><hash>\(hash)</hash></pieces><url>http://a.example/f\(number)</url>"
                + "<url>http://b.example/f\(number)</url></file>"
        }
        return "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\">\(entries.joined())</metalink>"
    }

    /// The bytes must arrive in order from one source, but the digest is checked.
    @Test func metalinkOfOneFileGoesToStandardOutput() async throws {
        let scratch = Scratch()
        try scratch.write(Self.metalink(files: 1), to: "one.meta4")
        let (status, specs, said) = await submitted(["one.meta4", "-o", "-"], in: scratch)
        let spec = try #require(specs.first, "\(said)")
        let download = try #require(spec.download)
        #expect(status != 2 && specs.count == 1 && spec.url == "http://a.example/f1" && spec.options.mirrors.isEmpty)
        #expect(download.isFollowed && download.pieces == nil && !download.repairs && download.expectedLength == 4)
        #expect(download.expectedDigest?.algorithm == .sha256 && download.directory.contains("/standard-output/"))
    }

    @Test func metalinkOfTwoFilesIsRefusedForStandardOutput() async throws {
        let scratch = Scratch()
        try scratch.write(Self.metalink(files: 2), to: "two.meta4")
        let (status, specs, said) = await submitted(["two.meta4", "-o", "-"], in: scratch)
        #expect(status == 2 && specs.isEmpty && said.contains("-o names one file"), "\(said)")
        let both = await submitted(["two.meta4", "http://h/a", "-o", "-"], in: scratch)
        #expect(both.status == 2 && both.said.contains("Only one file can go to standard output"))
    }

    @Test func metalinkCreatesItsDirectories() async throws {
        let scratch = Scratch()
        let files = ["a/x.bin", "b/x.bin", "link/x.bin"].map {
            "<file name=\"\($0)\"><size>4</size><url>http://a.example/f</url></file>"
        }
        try scratch.write("<metalink>\(files.joined())</metalink>", to: "all.meta4")
        #expect(mkdir(scratch.path + "/target", 0o700) == 0)
        #expect(symlink("/tmp", scratch.path + "/target/link") == 0)
        let (_, specs, said) = await submitted(["all.meta4", "-b", "-d", "target"], in: scratch)
        let directories = specs.compactMap { $0.download?.directory }
        #expect(directories == ["a", "b"].map { scratch.path + "/target/" + $0 }, "\(said)")
        #expect(specs.allSatisfy { $0.download?.fileName == "x.bin" || $0.download?.fileName == nil })
        #expect(said.contains("is a file or a link"), "\(said)")
    }

    @Test func pipeIsAnsweredWithStandardOutput() async throws {
        let scratch = Scratch()
        #expect(mkfifo(scratch.path + "/pipe", 0o600) == 0)
        let (status, specs, said) = await submitted(["http://h/a", "-o", "pipe"], in: scratch)
        #expect(status == 2 && specs.isEmpty && said.contains("type: longhaul http://h/a -o - > pipe"), "\(said)")
    }

    @Test func devicesOfStandardOutputAreStandardOutput() async throws {
        for name in ["/dev/stdout", "/dev/fd/1"] {
            let scratch = Scratch()
            let download = await submitted(["http://h/a", "-o", name], in: scratch)
            #expect(download.specs.first?.download?.isFollowed == true, "\(download.said)")
            let request = await submitted(["request", "http://h/a", "-o", name], in: scratch)
            #expect(request.specs.count == 1, "\(request.said)")
        }
    }

    @Test func checksumListCanBeLocal() async throws {
        let scratch = Scratch()
        let hex = String(repeating: "ab", count: 32)
        try scratch.write("\(hex)  a.iso\n", to: "SHA256SUMS")
        for name in ["SHA256SUMS", "./SHA256SUMS", "file://\(scratch.path)/SHA256SUMS"] {
            let (_, specs, said) = await submitted(["http://h/a.iso", "--checksum-file", name, "-b"], in: scratch)
            #expect(specs.first?.download?.expectedDigest == Digest(algorithm: .sha256, hexadecimal: hex), "\(said)")
        }
        let missing = await submitted(["http://h/a.iso", "--checksum-file", "nothere", "-b"], in: scratch)
        #expect(missing.status == 3 && missing.said.contains("\(scratch.path)/nothere"))
    }

    @Test(arguments: [["--range", "-500"], ["-r", "-500"], ["-r-500"], ["--range=-500"]])
    func rangeOfLastBytesIsASuffix(words: [String]) async throws {
        let (_, specs, said) = await submitted(["http://h/a.iso", "-b"] + words, in: Scratch())
        #expect(specs.first?.download?.range == FilePart(first: -500, last: nil), "\(said)")
    }

    @Test(arguments: ["-0", "-", "--5", "-5-9", "-9223372036854775808"])
    func impossibleSuffixIsRefused(text: String) async {
        let (status, specs, said) = await submitted(["http://h/a.iso", "-b", "--range=" + text], in: Scratch())
        #expect(status == 2 && specs.isEmpty, "\(said)")
    }

    /// Nothing is fetched first: not even the list or the signature is read.
    @Test(arguments: [["--signature", "nothere", "--keyring", "keys.gpg"], ["--checksum-file", "nothere"]])
    func rangeContradictsProofOfTheWholeFile(proof: [String]) async throws {
        let scratch = Scratch()
        try scratch.write(Self.keyring, to: "keys.gpg")
        let (status, specs, said) = await submitted(["http://h/a.iso", "--range", "0-99"] + proof, in: scratch)
        #expect(status == 2 && specs.isEmpty && said.contains("verifies whole files"), "\(said)")
    }

    private static let keyring =
        "-----BEGIN PGP PUBLIC KEY BLOCK-----\nComment: ada\n\nmDMEZwkQYBYJKwYB\n=abcd\n-----END PGP PUBLIC KEY BLOCK-----\n"

    /// Nothing is downloaded, and no verification is reported as failed.
    @Test func unreadableProofIsReportedAsUnreadable() async throws {
        let scratch = Scratch()
        let page = "<!DOCTYPE html><title>Sign in</title>"
        for (name, text) in [
            ("page", page), ("json", "[{\"name\": \"sid\"}]"), ("keys", Self.keyring),
            ("sig", "-----BEGIN PGP SIGNATURE-----\n\niHUE\n"),
        ] {
            try scratch.write(text, to: name)
        }
        let cases: [([String], Int32, String)] = [
            (["--signature", "page", "--keyring", "keys"], 2, "it is not a detached OpenPGP signature"),
            (["--signature", "sig", "--keyring", "page"], 3, "contains no OpenPGP public key"),
            (["--signature", "sig", "--keyring", "sig"], 3, "contains no OpenPGP public key"),
            (["--checksum-file", "page"], 2, "Cannot read the list of --checksum-file"),
            (["--cacert", "page"], 3, "does not contain CA certificates in the PEM format"),
            (["--proxy-cacert", "keys"], 3, "does not contain CA certificates in the PEM format"),
            (["--cookie", "page"], 3, "contains no cookies in the Netscape format"),
            (["--cookie", "json"], 3, "contains no cookies in the Netscape format"),
            (["--cert", "page"], 3, "does not contain a certificate in the PEM format"),
            (["--pinnedpubkey", "page"], 3, "does not contain a public key in the PEM format"),
        ]
        for (words, expected, sentence) in cases {
            let (status, specs, said) = await submitted(["http://h/a.iso", "-b"] + words, in: scratch)
            #expect(status == expected && specs.isEmpty && said.contains(sentence), "\(words) \(status): \(said)")
        }
    }

    @Test func signatureCanBeLocal() async throws {
        let scratch = Scratch()
        let signature = "-----BEGIN PGP SIGNATURE-----\n\niHUEABYIAB0=\n-----END PGP SIGNATURE-----\n"
        try scratch.write(signature, to: "a.asc")
        try scratch.write(Self.keyring, to: "keys.gpg")
        let words = ["http://h/a.iso", "--signature", "a.asc", "--keyring", "keys.gpg", "-b"]
        let (_, specs, said) = await submitted(words, in: scratch)
        #expect(specs.first?.download?.signature?.bytes == Array(signature.utf8), "\(said)")
    }
}
