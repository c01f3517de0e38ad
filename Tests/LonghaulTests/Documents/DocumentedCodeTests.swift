import Glibc
import LonghaulCore
import TestSupport
import Testing

/// The documents are read by the tools that their readers use: code is compiled, and the catalogue made.
@Suite(.timeLimit(.minutes(5)), .enabled(if: Product.missing == nil, "\(Product.missing ?? "")"))
struct DocumentedCodeTests {
    static let catalogue = "Sources/Longhaul/Longhaul.docc"

    static let documents = [
        "README.md", "docs/lifecycle.md", "docs/handoff.md", "\(catalogue)/Longhaul.md",
        "\(catalogue)/GettingStarted.md", "\(catalogue)/LeavingAndComingBack.md",
    ]

    /// What the pieces of code are about, and what they leave to the app.
    private static let world = """
        import Longhaul
        func show(_ value: Any) {}
        func draw(_ transfers: [TransferSnapshot]) {}
        func report(_ failure: TransferFailure) {}
        func saveDraft() async {}
        """

    private let root = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test(arguments: documents) func everyShownPieceOfCodeCompiles(_ document: String) async throws {
        let pieces = try pieces(in: document)
        #expect(!pieces.isEmpty)
        var program = Self.world
        for (number, piece) in pieces.enumerated() {
            let lines = piece.filter { $0 != "import Longhaul" }.joined(separator: "\n")
            program += """

                func piece\(number)(
                    session: TransferSession, transfer: Transfer, lifecycle: ProcessLifecycle, path: String,
                    configuration: TransferSession.Configuration
                ) async throws {
                    var configuration = configuration
                    _ = configuration
                    configuration = TransferSession.Configuration()
                    do {
                \(lines)
                    }
                }
                """
        }
        try directory.write(Array(program.utf8), to: "pieces.swift")
        let result = try await tool(
            "swiftc",
            ["-typecheck", "-parse-as-library", "-swift-version", "6", directory.path("pieces.swift")]
                + modules)
        #expect(result.ending == .exited(0), "\(result.errorOutput)")
    }

    @Test func theCatalogueIsMadeWithoutAWarning() async throws {
        try directory.makeDirectory("symbols")
        for module in ["Longhaul", "LonghaulCore"] {
            let result = try await tool(
                "swift",
                [
                    "symbolgraph-extract", "-module-name", module, "-minimum-access-level", "public", "-target",
                    Self.target, "-output-dir", directory.path("symbols"),
                ] + modules)
            #expect(result.ending == .exited(0), "\(result.errorOutput)")
        }
        let result = try await tool(
            "docc",
            [
                "convert", Self.catalogue, "--additional-symbol-graph-dir", directory.path("symbols"),
                "--fallback-display-name", "Longhaul", "--fallback-bundle-identifier", "org.longhaul.Longhaul",
                "--output-path", directory.path("Longhaul.doccarchive"),
            ])
        #expect(result.ending == .exited(0), "\(result.errorOutput)")
        let findings = (result.output + result.errorOutput).split(separator: "\n").filter {
            $0.hasPrefix("warning:") || $0.hasPrefix("error:")
        }
        #expect(findings == [])
    }

    /// The lines of each piece, in order.
    private func pieces(in document: String) throws -> [[Substring]] {
        let file = try #require(fopen("\(root)/\(document)", "re"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let text = String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
        return text.split(separator: "```swift\n", omittingEmptySubsequences: false).dropFirst().map { rest in
            rest.split(separator: "\n", omittingEmptySubsequences: false).prefix { $0 != "```" }.map { $0 }
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

    #if arch(arm64)
        private static let target = "aarch64-unknown-linux-gnu"
    #else
        private static let target = "x86_64-unknown-linux-gnu"
    #endif
}
