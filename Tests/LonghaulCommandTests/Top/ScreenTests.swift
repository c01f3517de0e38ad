import LonghaulCore
import Testing

@testable import LonghaulCommand

struct ScreenTests {
    private func screen(_ lines: String..., columns: Int = 10) -> Screen {
        var screen = Screen(Console.Size(columns: columns, rows: lines.count))
        for (row, line) in lines.enumerated() { screen.put(line, row: row) }
        return screen
    }

    private func drawing(_ screen: Screen, over earlier: Screen?, usesColour: Bool = true) -> String {
        String(decoding: screen.drawing(over: earlier, usesColour: usesColour), as: UTF8.self)
    }

    @Test func onlyWhatChangedIsDrawn() {
        let before = screen("name   10%", "name   20%")
        #expect(drawing(before, over: before) == "")
        #expect(drawing(screen("name   10%", "name   21%"), over: before) == "\u{1B}[2;9H1")
        #expect(drawing(before, over: nil).hasPrefix("\u{1B}[0m\u{1B}[2J\u{1B}[1;1Hname"))
        #expect(drawing(screen("a", columns: 20), over: before).contains("\u{1B}[2J"), "a resized screen is redrawn")
    }

    @Test func aWideCharacterIsDrawnWholeAndCutWhole() {
        #expect(screen("漢字漢字漢字", columns: 5).lines == ["漢字"])
        let drawn = drawing(screen("a漢b"), over: screen("a字b"))
        #expect(drawn == "\u{1B}[1;2H漢")
        #expect(drawing(screen("abcd"), over: screen("a字d")) == "\u{1B}[1;2Hbc")
    }

    @Test func withoutColourOnlyTheLightnessIsSet() {
        var wanted = Screen(Console.Size(columns: 4, rows: 2))
        wanted.put("bad", row: 0, .red)
        wanted.put("own", row: 1, .reversed)
        #expect(drawing(wanted, over: nil).contains("\u{1B}[0;31mbad"))
        let plain = drawing(wanted, over: nil, usesColour: false)
        #expect(!plain.contains("31m") && plain.contains("\u{1B}[0;7mown\u{1B}[0m"))
    }

    @Test(arguments: [
        ("\u{1B}[A", [TopKey.up]), ("\u{1B}OB", [.down]), ("\u{1B}[5~\u{1B}[6~", [.pageUp, .pageDown]),
        ("\u{1B}", [.escape]), ("\u{1B}[1;5Cx", [.character("x")]),
        ("\u{3}\r\u{7F}", [.control("c"), .enter, .backspace]),
        ("jé漢", [.character("j"), .character("é"), .character("漢")]), ("\u{1B}q", [.escape, .character("q")]),
    ])
    func keysAreReadFromWhatTerminalsSend(bytes: String, keys: [TopKey]) {
        #expect(TopKey.keys(in: Array(bytes.utf8)) == keys)
    }

    @Test func aKeyThatHasNotComeWholeIsWaitedFor() {
        #expect(["\u{1B}", "\u{1B}[", "\u{1B}[5", "x\u{1B}O"].allSatisfy { TopKey.isUnfinished(Array($0.utf8)) })
        #expect(!["x", "\u{1B}[A", "\u{1B}[5~", "\u{1B}OA", ""].contains { TopKey.isUnfinished(Array($0.utf8)) })
    }
}
