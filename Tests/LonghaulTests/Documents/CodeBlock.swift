import Glibc
import TestSupport
import Testing

/// A block of Swift in a document.
///
/// A block with imports is a whole program, printed as an app has it in `main.swift`. A block without imports continues the
/// program before it on its page.
struct CodeBlock: Sendable {
    let document: String
    /// The line of the document where the code starts.
    let line: Int
    let lines: [String]

    var isProgram: Bool { lines.contains { $0.hasPrefix("import ") } }
    /// Whether it is a file of an app for Apple systems, which is compiled alone, with doubles of Apple's frameworks.
    var isAppleFile: Bool { lines.contains("import LonghaulApple") || lines.contains("import LonghaulPhotos") }
    /// Whether it is the `Package.swift` of an app.
    var isManifest: Bool { lines.contains("import PackageDescription") }

    /// The code as printed. The compiler names the document in its messages.
    var source: String {
        "#sourceLocation(file: \"\(document)\", line: \(line))\n\(lines.joined(separator: "\n"))\n#sourceLocation()\n"
    }

    static let root = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()

    /// The blocks of a document in a language, in order.
    static func all(in document: String, language: String = "swift") throws -> [CodeBlock] {
        let file = try #require(fopen("\(root)/\(document)", "re"), "\(document) cannot be read")
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let text = String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return lines.indices.filter { lines[$0] == "```\(language)" }.map { fence in
            CodeBlock(document: document, line: fence + 2, lines: Array(lines[(fence + 1)...].prefix { $0 != "```" }))
        }
    }

    /// Every program of a document together with the blocks that continue it.
    static func programs(in document: String) throws -> [(program: CodeBlock, source: String)] {
        var programs: [(program: CodeBlock, source: String)] = []
        for block in try all(in: document) where !block.isAppleFile {
            if block.isProgram {
                programs.append((block, block.source))
            } else {
                try #require(!programs.isEmpty, "\(document):\(block.line): there is no program that this continues")
                programs[programs.count - 1].source += "do {\n\(block.source)}\n"
            }
        }
        return programs
    }
}

/// The compiler, with the modules of this build and only the other modules that an app has.
enum AppCompiler {
    /// Fails the test if a program does not compile. Warnings are errors.
    static func check(_ source: String, _ options: [String] = [], in directory: TemporaryDirectory) async throws {
        let result = try await typecheck(source, options, in: directory)
        #expect(result.ending == .exited(0), "\(result.errorOutput)")
    }

    static func typecheck(
        _ source: String, _ options: [String] = [], in directory: TemporaryDirectory
    ) async throws -> ProgramCall.Result {
        try directory.write(Array(source.utf8), to: "main.swift")
        let file = directory.path("main.swift")
        return try await run("swiftc", ["-typecheck"] + options + flags + [file], home: directory)
    }

    /// Builds a program as printed into the directory `name`, and returns its path.
    static func build(_ block: CodeBlock, named name: String, in home: TemporaryDirectory) async throws -> String {
        // A build directory keeps the objects of deleted files; this list names those of the last build.
        let list = "\(Product.directory)/longhaulPackageTests.product/Objects.LinkFileList"
        let objects = try await run("grep", ["-E", "/(\(modules))\\.build/", list], home: home).output
        try home.makeDirectory(name)
        try home.write(Array(objects.utf8), to: "\(name)/objects")
        try home.write(Array(block.source.utf8), to: "\(name)/main.swift")
        let program = home.path("\(name)/App")
        let call = flags + [home.path("\(name)/main.swift"), "@\(home.path("\(name)/objects"))", "-o", program]
        let result = try await run("swiftc", call, home: home)
        try #require(result.ending == .exited(0), "\(result.errorOutput)")
        return program
    }

    static func run(_ name: String, _ arguments: [String], home: TemporaryDirectory) async throws -> ProgramCall.Result
    {
        var call = ProgramCall("/usr/bin/env", [name] + arguments)
        call.environment["PATH"] = getenv("PATH").map { String(cString: $0) }
        call.environment["HOME"] = home.path
        call.directory = CodeBlock.root
        return try await call.run()
    }

    /// The product `LonghaulFoundation` and its dependencies.
    private static let modules =
        "LonghaulFoundation|Longhaul|LonghaulCore|LonghaulSystem|LonghaulBus|LonghaulStore|LonghaulFiles|LonghaulCurl"
        + "|LonghaulRuntime|LonghaulConditions|LonghaulIPC|LonghaulClient|CPlatform|CDigest"

    private static var flags: [String] {
        ["-swift-version", "6", "-warnings-as-errors", "-I", "\(Product.directory)/Modules"]
            + ["CPlatform", "CDigest"].flatMap {
                ["-Xcc", "-fmodule-map-file=\(Product.directory)/\($0).build/module.modulemap"]
            }
            + ["CCurl", "CSQLite", "CCrypto", "CSystemd"].flatMap { ["-I", "Sources/\($0)"] }
    }
}
