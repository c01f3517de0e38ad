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
    func bytesThatSomebodyElseOverwritesAreNotBuiltOn(isAtTheEnd: Bool) throws {
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
