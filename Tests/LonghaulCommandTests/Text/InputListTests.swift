import Glibc
import LonghaulCore
import Testing

@testable import LonghaulCommand

struct InputListTests {
    private func items(_ text: String) -> [InputList.Item] {
        var list = InputList()
        var items: [InputList.Item] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if let item = list.parse(String(line)) { items.append(item) }
        }
        if let item = list.finish() { items.append(item) }
        return items
    }

    @Test func theMarkThatEditorsPutBeforeATextIsNoPartOfAURL() {
        guard case .entry(let entry)? = items("\u{FEFF}http://a.example/1").first else { return #expect(Bool(false)) }
        #expect(entry.url == "http://a.example/1")
    }

    @Test func anEntryHasTheOptionsBelowIt() {
        let hex = String(repeating: "ab", count: 32)
        let text = """
            # all of it
            http://a.example/1

              out=one.bin
            \tdir=sub
              header=X-A: b=c
              checksum=sha-256=\(hex)
            http://a.example/2\thttp://b.example/2
            """
        let first = InputList.Entry(
            line: 2, url: "http://a.example/1", fileName: "one.bin", directory: "sub",
            headers: [HeaderField("X-A", "b=c")], digest: Digest(algorithm: .sha256, hexadecimal: hex))
        let second = InputList.Entry(line: 8, url: "http://a.example/2", mirrors: ["http://b.example/2"])
        #expect(items(text) == [.entry(first), .entry(second)])
    }

    @Test(arguments: [
        (" out=x\nhttp://a/", 1), ("http://a/\n out", 2), ("http://a/\n split=0", 2),
        ("http://a/\n max-download-limit=x", 2),
        ("http://a/\n checksum=sha-256=12", 2), ("http://a/\n\n header=none", 3),
    ])
    func aBadOptionIsNamedByItsLine(text: String, line: Int) {
        guard case .problem(let found, _) = items(text).first else { return #expect(Bool(false), "no problem found") }
        #expect(found == line)
    }

    @Test func anEntryWithABadOptionIsLeftOutAndTheNextIsRead() {
        let items = items("http://a/\n bad\n out=x\nhttp://b/")
        #expect(items.count == 2)
        #expect(items.last == .entry(InputList.Entry(line: 4, url: "http://b/")))
    }

    @Test func aria2OnlyOptionsAreIgnored() {
        let items = items("http://a/\n continue=true\n out=x\n colour=red")
        let entry = InputList.Entry(
            line: 1, url: "http://a/", fileName: "x", ignoredOptions: ["continue", "colour"])
        #expect(items == [.entry(entry)])
    }

    @Test func equivalentAria2OptionsAreConverted() {
        let text =
            "http://a/\n split=40\n max-connection-per-server=4\n max-download-limit=2M\n referer=http://b/\n user-agent=me"
        var entry = InputList.Entry(
            line: 1, url: "http://a/", headers: [HeaderField("Referer", "http://b/"), HeaderField("User-Agent", "me")])
        (entry.segments, entry.rateLimit) = (4, 2 << 20)
        #expect(items(text) == [.entry(entry)])
        // 0 is aria2's word for no limit.
        #expect(items("http://a/\n max-download-limit=0") == [.entry(InputList.Entry(line: 1, url: "http://a/"))])
    }

    @Test func windowsLineEndsAreNoPartOfTheURL() {
        #expect(items("http://a/\r") == [.entry(InputList.Entry(line: 1, url: "http://a/"))])
    }

    @Test func linesAcrossBuffersAreWhole() throws {
        let scratch = Scratch()
        let lines = (0..<30_000).map { "http://host.example/file-\($0)" }
        try scratch.write(lines.joined(separator: "\n"), to: "list")
        var reader = LineReader(try LocalFiles.open(scratch.path + "/list"), name: "list")
        var read: [String] = []
        while let line = try reader.next() { read.append(line) }
        #expect(read == lines)
    }
}
