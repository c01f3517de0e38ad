import Glibc
import LonghaulCore
import TestSupport
import Testing

/// The documents are read by the tools that their readers use: code is compiled, and the pages are made.
@Suite(.timeLimit(.minutes(5)), .enabled(if: Product.missing == nil, "\(Product.missing ?? "")"))
struct DocumentedCodeTests {
    /// What the pieces of code are about, and what they leave to the app.
    private static let world = """
        import Foundation
        import LonghaulFoundation
        func show(_ value: Any) {}
        func draw(_ transfers: [TransferSnapshot]) {}
        func report(_ failure: TransferFailure) {}
        func saveDraft() async {}
        func askForPassword(_ transfer: TransferSnapshot) {}
        struct Storms { func note(_ body: [UInt8]) async throws {} }
        let storms = Storms()
        struct SignIn {
            var token: String? { nil }
            func renewedToken() async -> String? { nil }
        }
        let signIn = SignIn()
        struct Album {
            func take(_ transfer: TransferSnapshot) {}
            func show(_ transfer: TransferID?) {}
            func refresh() {}
        }
        let album = Album()
        """

    private let root = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func everyShownPieceOfCodeCompiles() async throws {
        var program = Self.world
        let documents = try await documents()
        #expect(documents.count >= 11, "\(documents)")
        for (document, name) in documents.enumerated() {
            for (number, piece) in try pieces(in: name).enumerated() {
                program += """

                    func piece\(document)_\(number)(
                        session: TransferSession, transfer: Transfer, lifecycle: ProcessLifecycle, path: String,
                        tasks: BackgroundTasks, configuration: TransferSession.Configuration
                    ) async throws {
                        var configuration = configuration
                        _ = configuration
                        configuration = TransferSession.Configuration()
                        do {
                    #sourceLocation(file: "\(name)", line: \(piece.line))
                    \(piece.lines.map { $0.hasPrefix("import ") ? "" : $0 }.joined(separator: "\n"))
                    #sourceLocation()
                        }
                    }
                    """
            }
        }
        try await expectCompiles(program)
    }

    /// Each piece is a file of an app for an Apple system, against doubles of what Apple declares.
    @Test func everyShownAppForAppleSystemsCompiles() async throws {
        for piece in try pieces(in: Self.apple) {
            try await expectCompiles(piece.lines.joined(separator: "\n"))
        }
    }

    private func expectCompiles(_ program: String) async throws {
        try directory.write(Array(program.utf8), to: "pieces.swift")
        let result = try await tool(
            "swiftc",
            ["-typecheck", "-parse-as-library", "-swift-version", "6", directory.path("pieces.swift")]
                + modules)
        #expect(result.ending == .exited(0), "\(result.errorOutput)")
    }

    private static let apple = "docs/apple.md"

    /// Warnings of DocC and links that lead nowhere are errors there. What is not in the index cannot be searched for.
    @Test func thePagesAreMadeAndHaveEverythingInTheirIndex() async throws {
        let result = try await tool("scripts/pages", ["--build", Product.directory, directory.path("pages")])
        #expect(result.ending == .exited(0), "\(result.output)\(result.errorOutput)")
        let index = String(decoding: try directory.read("pages/index/index.json"), as: UTF8.self)
        for title in ["TransferSession", "TestWorld", "Getting started", "The command line", "Decisions"] {
            #expect(index.contains("\"\(title)\""), "\(title)")
        }
        // The text of a guide, of an article, and of a symbol can be searched as well.
        let search = String(decoding: try directory.read("pages/search/pages.json"), as: UTF8.self)
        for words in ["Rows are virtual", "the upload is on disk", "A durable queue of downloads"] {
            #expect(search.contains(words), "\(words)")
        }
    }

    /// Every document that shows code. The package for windows has a test of its own, since it needs GTK.
    private func documents() async throws -> [String] {
        let call = [
            "-rl", "--include=*.md", "--exclude-dir=DesktopKit", "^```swift", "README.md", "docs", "Sources",
            "Examples",
        ]
        let found = try await tool("grep", call).output.split(separator: "\n").map(String.init).sorted()
        return found.filter { $0 != Self.apple }
    }

    /// The pieces of code in a document, in order, each with the number of its first line.
    private func pieces(in document: String) throws -> [(line: Int, lines: [Substring])] {
        let file = try #require(fopen("\(root)/\(document)", "re"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let text = String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.indices.filter { lines[$0] == "```swift" }.map { fence in
            (fence + 2, lines[(fence + 1)...].prefix { $0 != "```" }.map { $0 })
        }
    }

    /// Where a compiler finds the modules of this build, and what they were built from.
    private var modules: [String] {
        let map = "-fmodule-map-file=\(Product.directory)/CLinux.build/module.modulemap"
        return ["-I", "\(Product.directory)/Modules", "-Xcc", map]
            + ["CCurl", "CSQLite", "CCrypto", "CSystemd"].flatMap { ["-I", "Sources/\($0)"] }
    }

    private func tool(_ name: String, _ arguments: [String]) async throws -> ProgramCall.Result {
        var call = ProgramCall("/usr/bin/env", [name] + arguments)
        call.environment["PATH"] = getenv("PATH").map { String(cString: $0) }
        call.environment["HOME"] = directory.path
        call.directory = root
        return try await call.run()
    }
}
