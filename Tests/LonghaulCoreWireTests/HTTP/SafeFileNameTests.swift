import LonghaulCore
import Testing

@Suite struct SafeFileNameTests {
    @Test(arguments: [
        ("report.pdf", "report.pdf"), ("my report.pdf", "my report.pdf"), ("../../etc/passwd", "passwd"),
        ("C:\\Users\\me\\a.txt", "a.txt"), ("/a/b\\c", "c"), ("a\u{0}b\r\n.txt", "ab.txt"), (".bashrc", "_.bashrc"),
        ("-rf", "_-rf"), ("  a.txt  ", "a.txt"), ("a.txt...", "a.txt"), ("a . . ", "a"), ("CON", "_CON"),
        ("con.txt", "_con.txt"), ("com1.log", "_com1.log"), ("LPT9", "_LPT9"), ("COM10", "COM10"),
        ("concert", "concert"),
        ("nul .txt", "_nul .txt"), ("COM¹", "_COM¹"), ("invoice\u{202E}fdp.exe", "invoicefdp.exe"),
        ("a\u{200B}b\u{FEFF}c\u{2066}d\u{85}", "abcd"), ("naïve €.txt", "naïve €.txt"), ("a:b*c?.txt", "a:b*c?.txt"),
        ("日本語.txt", "日本語.txt"), ("...hidden", "_...hidden"), ("\u{200E}.profile", "_.profile"),
        ("%2e%2e%2fx", "%2e%2e%2fx"),
    ])
    func suggestionsAreMadeSafe(suggestion: String, name: String) {
        #expect(SafeFileName.make(from: suggestion, url: "https://host/other") == name)
    }

    @Test(arguments: [nil, "", ".", "..", "...", " ", "a/", "\\", "\u{0}\u{1}", "/..", " . "] as [String?])
    func anUnusableSuggestionGivesWayToTheURL(suggestion: String?) {
        #expect(SafeFileName.make(from: suggestion, url: "https://host/dir/file%20one.bin?token=1#x") == "file one.bin")
    }

    @Test(arguments: [
        ("https://host", "download"), ("https://host/", "download"), ("https://host/dir/", "download"),
        ("https://host/..", "download"), ("nonsense", "download"), ("", "download"),
        ("https://host/a%2Fb", "b"), ("https://host/%252e", "%2e"), ("https://host/%E9.txt", "%E9.txt"),
        ("https://host/%C3%A9.txt", "é.txt"), ("https://host/é.txt", "é.txt"), ("https://host/.env", "_.env"),
    ])
    func theLastSegmentIsDecodedOnceAndMadeSafe(url: String, name: String) {
        #expect(SafeFileName.make(from: nil, url: url) == name)
    }

    @Test(arguments: [
        ("a:b.mp4", ["a_b.mp4", "download"]), ("Who?", ["Who_", "download"]),
        ("naïve €.tar.gz", ["na_ve _.tar.gz", "download"]), ("日本.txt", ["__.txt", "download"]), ("download", []),
        ("a<b>ü", ["a_b_ü", "a_b__", "download"]),
    ])
    func anotherNameIsSimilar(name: String, substitutes: [String]) {
        #expect(SafeFileName.substitutes(for: name) == substitutes)
    }

    @Test func anotherNameForALongOneIsShort() {
        let names = SafeFileName.substitutes(for: String(repeating: "€", count: 80) + ".tar.gz")
        #expect(
            names == [
                String(repeating: "€", count: 42) + ".tar.gz", String(repeating: "_", count: 57) + ".tar.gz",
                "download",
            ])
    }

    @Test func aLongNameKeepsItsSuffixAndWholeCharacters() {
        let name = SafeFileName.make(from: String(repeating: "€", count: 200) + ".tar.gz", url: "")
        #expect(name == String(repeating: "€", count: 82) + ".tar.gz")
        let family = "👨‍👩‍👧‍👦"
        #expect(SafeFileName.make(from: String(repeating: "e\u{301}", count: 200), url: "").utf8.count == 255)
        #expect(SafeFileName.numbered(String(repeating: family, count: 20), 1).hasSuffix(family + " (1)"))
    }

    @Test func endlessCharacterIsTruncated() {
        let name = SafeFileName.make(from: "e" + String(repeating: "\u{301}", count: 1_000), url: "")
        #expect(name.utf8.count == 255)
    }

    @Test(arguments: [
        ("name.ext", 1, "name (1).ext"), ("archive.tar.gz", 1, "archive (1).tar.gz"), ("a.TAR.XZ", 2, "a (2).TAR.XZ"),
        ("name", 3, "name (3)"), (".gitignore", 1, ".gitignore (1)"), ("a.", 1, "a. (1)"), ("a.b.c", 10, "a.b (10).c"),
        ("v1.2 final", 1, "v1.2 final (1)"), (".tar.gz", 1, ".tar (1).gz"), ("x.tar.txt", 1, "x.tar (1).txt"),
        ("", 1, " (1)"), ("é.€", 1, "é (1).€"),
    ])
    func aNumberGoesBeforeTheSuffix(name: String, number: Int, numbered: String) {
        #expect(SafeFileName.numbered(name, number) == numbered)
    }

    @Test func aNumberedNameIsNeverTooLong() {
        for length in 230...300 {
            let name = SafeFileName.numbered(String(repeating: "n", count: length) + ".tar.gz", .max)
            #expect(name.utf8.count <= 255)
            #expect(name.hasSuffix(" (9223372036854775807).tar.gz"))
        }
    }

    @Test func noSuggestionMakesAnUnsafeName() {
        var noise = HeaderNoise(seed: 2)
        for _ in 0..<20_000 {
            let name = SafeFileName.make(from: noise.text(), url: noise.text())
            #expect(!name.isEmpty && name.utf8.count <= 255 && name != "." && name != "..")
            #expect(!name.unicodeScalars.contains { $0.value < 0x20 || $0 == "/" || $0 == "\\" || $0.value == 0x202E })
            #expect(name.utf8.first != UInt8(ascii: ".") && name.utf8.first != UInt8(ascii: "-"))
        }
    }
}
