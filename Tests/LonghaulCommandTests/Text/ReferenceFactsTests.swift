import LonghaulCore
import Testing

@testable import LonghaulCommand

/// The pages of `docs/reference` that are written by hand agree with the sources.
struct ReferenceFactsTests {
    /// The Swift and C sources below a directory, as one text.
    private static func sources(of directory: String) throws -> String {
        var text = ""
        for name in Scratch.names(in: documentRoot + directory).sorted() {
            let path = directory + "/" + name
            if [".swift", ".c", ".h"].contains(where: name.hasSuffix) {
                text += try documentText(path)
            } else if !name.contains(".") {
                text += try sources(of: path)
            }
        }
        return text
    }

    /// The words between backticks.
    private static func code(in text: some StringProtocol) -> [String] {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }

    // MARK: - Environment

    /// Text in capitals with an underscore, in sources, that names no variable.
    private static let noVariables: Set = ["NO_PUBKEY"]
    /// Variables that libraries read: GSSAPI, and the PKCS#11 engine of OpenSSL.
    private static let readByLibraries: Set = ["KRB5CCNAME", "PKCS11_MODULE_PATH"]

    /// The names of variables that the sources contain as text.
    private static func variables(in sources: String) -> Set<String> {
        var names = Set(
            sources.matches(of: /"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[A-Za-z]+_(?:proxy|PROXY))"/).map { String($0.1) })
        // Names without an underscore look like other words.
        let uses = /(?:nvironment\[|ariables?\(|ariables?\[|said\(|getenv\()"([A-Z]+)"/
        names.formUnion(sources.matches(of: uses).map { String($0.1) })
        return names.subtracting(noVariables)
    }

    private static let environmentPage = "docs/reference/files-and-environment.md"

    @Test func eachVariableIsDocumented() throws {
        let read = Self.variables(in: try Self.sources(of: "Sources"))
        #expect(read.count >= 30)
        let documented = Set(Self.code(in: try documentText(Self.environmentPage)))
        #expect(read.subtracting(documented).isEmpty, "not in \(Self.environmentPage)")
    }

    @Test func eachDocumentedVariableIsRead() throws {
        let rows = try documentLines(Self.environmentPage).drop { $0 != "## Environment of the command" }
        let documented = rows.filter { $0.hasPrefix("| `") }.flatMap { Self.code(in: $0.split(separator: "|")[0]) }
        #expect(documented.count >= 30)
        let read = Self.variables(in: try Self.sources(of: "Sources"))
        #expect(Set(documented).subtracting(read) == Self.readByLibraries, "no longer read")
    }

    // MARK: - Files

    private static let fileSources = [
        "LonghaulSystem/Files/LonghaulPaths.swift", "LonghaulCore/Session/SessionLayout.swift",
    ]

    /// The names that these properties append to a directory: `var lock: String { directory + "/lock" }`.
    private static func fileNames() throws -> Set<String> {
        var names: Set<String> = []
        for path in fileSources {
            let text = try documentText("Sources/" + path)
            names.formUnion(text.matches(of: /irectory \+ "\/([a-z.-]+)[\/"\\]/).map { String($0.1) })
        }
        return names
    }

    @Test func eachFileOfTheStateDirectoryIsDocumented() throws {
        let table = try documentLines(Self.environmentPage).drop { $0 != "## Files" }.prefix { !$0.hasPrefix("## E") }
        let words = Self.code(in: table.joined()).flatMap { $0.split { "/`".contains($0) } }.map(String.init)
        let names = try Self.fileNames()
        #expect(names.count >= 12)
        for name in names {
            #expect(words.contains { $0 == name || $0.hasPrefix(name) && name.hasSuffix("-") }, "\(name)")
        }
    }

    @Test func eachDocumentedFileExistsInTheSources() throws {
        let sources = try Self.sources(of: "Sources")
        let rows = try documentLines(Self.environmentPage).filter { $0.hasPrefix("| `$XDG") || $0.hasPrefix("| `.") }
        let names = rows.flatMap {
            Self.code(in: $0.split(separator: "|")[0]) + Self.code(in: $0.split(separator: "|")[1])
        }
        .flatMap { $0.matches(of: /[a-z.-]{3,}/).map { String($0.output) } }
        #expect(names.count >= 25)
        // The lock of a file is named after the file.
        for name in Set(names) where name != "budget.lock" { #expect(sources.contains(name), "\(name)") }
    }

    // MARK: - JSON

    /// The keys that the command writes.
    private static func keys() throws -> Set<String> {
        let sources = try sources(of: "Sources/LonghaulCommand")
        let calls = /(?:member|object|array|failure|headers)\(\s*"([A-Za-z]+)"/
        let places = /name: "[a-z-]+", key: "([A-Za-z]+)"/
        return Set(sources.matches(of: calls).map { String($0.1) } + sources.matches(of: places).map { String($0.1) })
    }

    @Test func eachJSONKeyIsDocumented() throws {
        let keys = try Self.keys()
        #expect(keys.count >= 150)
        let documented = Set(Self.code(in: try documentText("docs/reference/json.md")))
        #expect(keys.subtracting(documented).isEmpty, "not in docs/reference/json.md")
    }

    /// The members of a transfer and of a detail, in the order of the output.
    @Test func tablesOfATransferHaveTheMembersOfItsJSON() throws {
        var json = JSONWriter()
        json.transfer(CapturedTransfers.retried.snapshot)
        let transfer = try members(below: "A transfer")
        #expect(Self.topLevelKeys(of: json.bytes) == transfer)
        json = JSONWriter()
        json.object { $0.members(of: CapturedTransfers.retried) }
        #expect(Self.topLevelKeys(of: json.bytes) == transfer + (try members(below: "A detail")))
    }

    private func members(below heading: String) throws -> [String] {
        let section = try documentLines("docs/reference/json.md").drop { $0 != "## \(heading)" }.dropFirst()
        return section.prefix { !$0.hasPrefix("#") }.filter { $0.hasPrefix("| `") }.compactMap {
            Self.code(in: $0).first
        }
    }

    /// The keys of an object without those of the objects in it.
    private static func topLevelKeys(of json: [UInt8]) -> [String] {
        var keys: [String] = []
        var (depth, isText, isEscaped, text) = (0, false, false, "")
        for byte in json {
            let character = Character(Unicode.Scalar(byte))
            if isText {
                if !isEscaped, character == "\"" { isText = false } else { text.append(character) }
                isEscaped = !isEscaped && character == "\\"
            } else {
                switch character {
                case "\"": (isText, text) = (true, "")
                case "{", "[": depth += 1
                case "}", "]": depth -= 1
                case ":" where depth == 1: keys.append(text)
                default: break
                }
            }
        }
        return keys
    }
}
