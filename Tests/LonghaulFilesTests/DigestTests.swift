import Glibc
import LonghaulCore
import LonghaulSystem
import TestSupport
import Testing

@testable import LonghaulFiles

/// Digests computed while the bytes arrive, and when they count.
@Suite struct DigestTests {
    static let content = Content(seed: 95, length: 1_500_000)

    @Test(arguments: [content, Content(seed: 96, length: 100), Content(seed: 97, length: 0)])
    func digestsAreRememberedFromFirstRun(content: Content) throws {
        let file = try Scratch(content)
        let memory = DigestMemory()
        let partial = PartialFile(
            path: file.path, start: 0, bodyLength: content.length, digests: [.sha256, .md5, .sha512])
        _ = try content.bytes().withUnsafeBytes { try partial.append($0) }
        #expect(partial.finish(memory: memory).failure == nil)
        let known = memory.recall(path: file.path, identity: try file.identity())
        #expect(known.count == 3)
        #expect(known.contains(try digest(of: content, .sha256)))
        #expect(known.contains(try digest(of: content, .md5)))
    }

    /// The vectors of RFC 1321 (appendix A.5), and of NIST's example values for FIPS 180-4.
    @Test(arguments: [
        (Digest.Algorithm.md5, "", "d41d8cd98f00b204e9800998ecf8427e"),
        (.md5, "abc", "900150983cd24fb0d6963f7d28e17f72"),
        (.md5, "message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
        (.sha1, "", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
        (.sha1, "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (.sha256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            .sha512, "",
            "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
                + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
        ),
        (
            .sha512, "abc",
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        ),
    ])
    func digestMatchesPublishedVector(_ algorithm: Digest.Algorithm, _ text: String, _ hex: String) throws {
        let whole = try #require(StreamDigest([algorithm]))
        Array(text.utf8).withUnsafeBytes { whole.update($0) }
        #expect(whole.finish().map(\.hexText) == [hex])
        let bytewise = try #require(StreamDigest([algorithm]))
        for byte in text.utf8 { [byte].withUnsafeBytes { bytewise.update($0) } }
        #expect(bytewise.finish().map(\.hexText) == [hex])
    }

    @Test func changedFileInvalidatesRememberedDigests() throws {
        let file = try Scratch(Self.content)
        let memory = DigestMemory()
        memory.remember([try digest(of: Self.content, .md5)], path: file.path, identity: try file.identity())
        try file.directory.write([1, 2, 3], to: "file")
        #expect(memory.recall(path: file.path, identity: try file.identity()).isEmpty)
    }

    @Test func aResumedRunHasNone() throws {
        let file = try Scratch(Content(seed: 95, length: 10))
        let memory = DigestMemory()
        let partial = PartialFile(path: file.path, start: 10, bodyLength: 3, digests: [.sha256])
        _ = try [1, 2, 3].withUnsafeBytes { try partial.append($0) }
        #expect(partial.finish(memory: memory).failure == nil)
        #expect(memory.recall(path: file.path, identity: try file.identity()).isEmpty)
    }

    @Test(arguments: [false, true])
    func overwrittenPartialFileIsDiscarded(isAtTheEnd: Bool) throws {
        let file = try Scratch(Content(seed: 98, length: 0))
        let target = PartialTarget(path: file.path, start: 0, digests: [.sha256])
        try target.open(missing: nil)
        try Self.content.bytes().withUnsafeBytes { try target.write($0) }
        try overwriteFile(file.path, at: 100_000)
        #expect(failure(of: target, isAtTheEnd: isAtTheEnd)?.code == .fileFailed && target.length == 0)
        #expect(try file.directory.read("file").isEmpty)
    }

    private func failure(of target: PartialTarget, isAtTheEnd: Bool) -> TransferFailure? {
        do throws(TransferFailure) {
            if isAtTheEnd {
                try target.remember(in: DigestMemory())
            } else {
                try target.write(UnsafeRawBufferPointer(start: nil, count: 0))
            }
            return nil
        } catch {
            return error
        }
    }
}

/// A file in a separate directory.
struct Scratch {
    let directory: TemporaryDirectory
    var path: String { directory.path("file") }

    init(_ content: Content) throws {
        directory = try TemporaryDirectory()
        try directory.write(content, to: "file")
    }

    func identity() throws -> DigestMemory.Identity {
        DigestMemory.Identity(try FileStatus(of: path))
    }
}
