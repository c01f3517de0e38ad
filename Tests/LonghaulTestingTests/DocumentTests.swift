import Glibc
import Testing

/// Runs the test in the article about tests.
@Suite struct DocumentTests {
    private static let article = "Sources/LonghaulTesting/LonghaulTesting.docc/Testing.md"
    private static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

    private func text(_ path: String) throws -> String {
        let file = try #require(fopen(Self.root + "/" + path, "re"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        return String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
    }

    @Test func articleShowsTheTestThatRuns() throws {
        let lines = try text(Self.article).split(separator: "\n", omittingEmptySubsequences: false)
        let first = try #require(lines.firstIndex(of: "```swift test")) + 1
        let shown = lines[first...].prefix { $0 != "```" }.joined(separator: "\n")
        #expect(try text("Tests/LonghaulTestingTests/AlbumTests.swift") == shown + "\n")
    }
}
