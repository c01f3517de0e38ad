import Glibc
import TestSupport
import Testing

/// The compiler, the package manager, and DocC accept the documents.
@Suite(.timeLimit(.minutes(5)), .enabled(if: Product.missing == nil, "\(Product.missing ?? "")"))
struct DocumentedCodeTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func everyProgramCompilesWithItsOwnImports() async throws {
        let documents = try await documents()
        #expect(documents.count >= 17, "\(documents)")
        for document in documents {
            for (program, source) in try CodeBlock.programs(in: document) where !program.isManifest {
                try await AppCompiler.check(source, in: directory)
            }
        }
    }

    @Test(
        arguments: [
            ("_ = BackgroundTaskRequest(identifier: \"noon\")", "Call .appRefresh(identifier)"),
            ("_ = state == .queued", "Use the pattern `case .waiting`"),
            ("_ = BackgroundTaskRequest(\"noon\")", "error:"),
        ])
    func compilerCorrectsAWrongName(line: String, correction: String) async throws {
        let source = """
            import LonghaulFoundation
            func use(_ session: TransferSession, _ state: TransferState) { \(line) }
            """
        let result = try await AppCompiler.typecheck(source, in: directory)
        #expect(result.errorOutput.contains(correction), "\(result.errorOutput)")
        #expect(!result.errorOutput.contains("WireReader"), "\(result.errorOutput)")
    }

    @Test func everyFileOfAnAppleAppCompiles() async throws {
        let files = try await documents().flatMap { try CodeBlock.all(in: $0) }.filter(\.isAppleFile)
        #expect(files.count >= 7)
        for file in files {
            try await AppCompiler.check(file.source, ["-parse-as-library"], in: directory)
        }
    }

    @Test func everyPackageFileNamesALibraryOfThisPackage() async throws {
        var count = 0
        for document in try await documents() {
            for manifest in try CodeBlock.all(in: document) where manifest.isManifest {
                let package = try TemporaryDirectory()
                // The first line states the version of the tools, so no other line may come before it.
                try package.write(Array(manifest.lines.joined(separator: "\n").utf8), to: "Package.swift")
                let call = ["package", "--package-path", package.path, "dump-package"]
                let result = try await AppCompiler.run("swift", call, home: directory)
                #expect(result.ending == .exited(0), "\(document): \(result.errorOutput)")
                let product = try #require(result.output.firstMatch(of: /"product" : \[\s*"(\w+)",\s*"longhaul"/))
                let library = ".library(name: \"\(product.1)\","
                let found = try await AppCompiler.run("grep", ["-F", library, "Package.swift"], home: directory)
                #expect(found.ending == .exited(0), "\(document): no library is called \(product.1)")
                count += 1
            }
        }
        #expect(count > 0)
    }

    @Test func translatedReadmeShowsTheSamePrograms() throws {
        let blocks = try ["README.md", "README.ko.md"].map { try CodeBlock.all(in: $0).map(\.lines) }
        #expect(blocks[0] == blocks[1])
    }

    /// DocC's warnings and broken links are errors. A page that is missing from the index cannot be found.
    @Test func pagesAreMadeAndIndexed() async throws {
        let call = ["--build", Product.directory, directory.path("pages")]
        let result = try await AppCompiler.run("scripts/pages", call, home: directory)
        #expect(result.ending == .exited(0), "\(result.output)\(result.errorOutput)")
        let index = String(decoding: try directory.read("pages/index/index.json"), as: UTF8.self)
        for title in [
            "TransferSession", "TestWorld", "Run background tasks", "Test an app", "Log in", "Commands", "Decisions",
        ] {
            #expect(index.contains("\"\(title)\""), "\(title)")
        }
        // The search covers the text of a guide, of an article, and of a symbol.
        let search = String(decoding: try directory.read("pages/search/pages.json"), as: UTF8.self)
        for words in ["Rows are virtual", "kill the program", "A durable queue of downloads"] {
            #expect(search.contains(words), "\(words)")
        }
    }

    /// Every document that shows code. DesktopKit has a separate test, since it needs GTK.
    private func documents() async throws -> [String] {
        let call = [
            "-rl", "--include=*.md", "--exclude-dir=DesktopKit", "^```swift$", "README.md", "docs", "Sources",
            "Examples",
        ]
        return try await AppCompiler.run("grep", call, home: directory).output.split(separator: "\n").map(String.init)
            .sorted()
    }
}
