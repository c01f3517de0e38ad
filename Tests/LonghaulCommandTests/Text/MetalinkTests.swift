import FuzzTargets
import LonghaulCore
import LonghaulMetalink
import Testing

/// The content of a Metalink, and protection against malicious ones.
@Suite struct MetalinkTests {
    private func file(_ inner: String, name: String = "f.bin") throws -> Metalink.File {
        let text =
            "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\"><file name=\"\(name)\">\(inner)</file></metalink>"
        return try #require(try Metalink(parsing: Array(text.utf8)).files.first)
    }

    private static let url = "<url>http://a.example/f</url>"

    @Test func aFileHasItsPlacesByPriorityAndItsStrongestDigest() throws {
        let (weak, strong) = (String(repeating: "ab", count: 20), String(repeating: "cd", count: 32))
        let file = try file(
            """
            <size>1000</size><hash type="sha-1">\(weak)</hash><hash type="sha-256"> \(strong)
            </hash><hash type="whirlpool">00</hash>
            <pieces type="sha-1" length="600"><hash>\(weak)</hash><hash>\(weak)</hash></pieces>
            <url priority="3">http://c.example/f</url><url priority="1">https://a.example/f?q=1&amp;r=2</url>
            <url priority="2">ftp://b.example/f</url><url>http://d.example/f</url>
            """)
        #expect(file.size == 1_000 && file.digest == Digest(algorithm: .sha256, hexadecimal: strong))
        #expect(file.urls == ["https://a.example/f?q=1&r=2", "http://c.example/f", "http://d.example/f"])
        let pieces = try #require(file.pieces)
        #expect(pieces.count == 2 && pieces.length == 600 && pieces.algorithm == .sha1)
    }

    @Test func versionThreeIsReadAsWell() throws {
        let md5 = String(repeating: "0a", count: 16)
        let text = """
            <?xml version="1.0"?><metalink version="3.0" xmlns="http://www.metalinker.org/"><files><file name="f.bin">
            <size>9</size><verification><hash type="md5">\(md5)</hash>
            <pieces type="md5" length="5"><hash piece="0">\(md5)</hash><hash piece="1">\(md5)</hash></pieces></verification>
            <resources><url type="http" preference="10">http://b.example/f</url>
            <url type="http" preference="90">http://a.example/f</url></resources></file></files></metalink>
            """
        let file = try #require(try Metalink(parsing: Array(text.utf8)).files.first)
        #expect(file.urls == ["http://a.example/f", "http://b.example/f"])
        #expect(file.digest == Digest(algorithm: .md5, hexadecimal: md5) && file.pieces?.count == 2)
    }

    @Test(arguments: ["../../etc/passwd", "/etc/passwd", "..", "a/../b", "C:\\x\\y", "-rf", ".bashrc", ""])
    func aNameLeadsNowhere(name: String) throws {
        let found = try file(Self.url, name: name).name
        #expect(!found.isEmpty && !found.contains("/") && !found.contains("\\") && !found.hasPrefix("."))
    }

    @Test(arguments: [
        ("a/x.bin", ["a"], "x.bin"), ("a/b/x.bin", ["a", "b"], "x.bin"), ("x.bin", [], "x.bin"),
        ("/a/x.bin", [], "x.bin"), ("../x.bin", [], "x.bin"), ("a/../x.bin", [], "x.bin"), ("a//x.bin", [], "x.bin"),
        ("./x.bin", [], "x.bin"), ("a\\b/x.bin", [], "x.bin"), ("C:/x.bin", [], "x.bin"),
        (String(repeating: "d/", count: 40) + "x.bin", [], "x.bin"),
    ])
    func directoriesStayBelowTheTarget(path: String, directories: [String], name: String) throws {
        let found = try file(Self.url, name: path)
        #expect(found.directories == directories && found.name == name)
    }

    @Test func hiddenDirectoryIsNoneHere() throws {
        let found = try file(Self.url, name: ".ssh/config").directories
        #expect(found.count == 1 && !found[0].hasPrefix("."))
    }

    @Test func equalNamesInOtherDirectoriesStay() throws {
        let files = ["a/x.bin", "b/x.bin", "a/x.bin"].map { "<file name=\"\($0)\">\(Self.url)</file>" }
        let metalink = try Metalink(parsing: Array("<metalink>\(files.joined())</metalink>".utf8))
        #expect(metalink.files.map(\.name) == ["x.bin", "x.bin", "x (1).bin"])
    }

    @Test func twoFilesNeverHaveOneName() throws {
        let one = "<file name=\"f\">\(Self.url)</file>"
        let metalink = try Metalink(parsing: Array("<metalink>\(one)\(one)</metalink>".utf8))
        #expect(Set(metalink.files.map(\.name)).count == 2)
    }

    /// Pieces with another length, in another order, or with an invalid digest prove nothing.
    @Test(arguments: [
        "<size>1000</size><pieces type=\"md5\" length=\"600\"><hash>00</hash></pieces>",
        "<size>1000</size><pieces type=\"md5\" length=\"0\"></pieces>",
        "<size>1000</size><pieces type=\"md5\" length=\"1000\"><hash piece=\"1\">0123456789abcdef0123456789abcdef</hash></pieces>",
        "<size>99999</size><pieces type=\"md5\" length=\"1000\"><hash>0123456789abcdef0123456789abcdef</hash></pieces>",
        "<pieces type=\"md5\" length=\"1000\"><hash>0123456789abcdef0123456789abcdef</hash></pieces>",
    ]) func piecesThatDoNotFitAreLeftOut(inner: String) throws {
        #expect(try file(inner + Self.url).pieces == nil)
    }

    @Test(arguments: [
        ("", "not valid XML"), ("not xml", "not valid XML"), ("<metalink>", "not valid XML"),
        ("<html><body/></html>", "not a Metalink"), ("<metalink></metalink>", "no file with"),
        ("<metalink><file name=\"a\"><url>ftp://a/b</url></file></metalink>", "no file with"),
        ("<!DOCTYPE m [<!ENTITY a \"b\">]><metalink/>", "document type"),
        ("<!DOCTYPE m SYSTEM \"file:///etc/passwd\"><metalink/>", "document type"),
        (String(repeating: "<a>", count: 1_000), "too deeply"),
    ]) func metalinkErrorsAreExplained(text: String, words: String) {
        do {
            _ = try Metalink(parsing: Array(text.utf8))
            Issue.record("it was read")
        } catch {
            #expect(error.message.contains(words), "\(error.message)")
        }
    }

    @Test func theExamplesOfTheFuzzerAreRead() {
        for example in FuzzTarget.metalinks.examples { FuzzTarget.metalinks.run(example) }
    }
}
