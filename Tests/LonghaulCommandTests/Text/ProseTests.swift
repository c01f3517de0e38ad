import LonghaulCore
import Testing

@testable import LonghaulCommand

@Suite struct ProseTests {
    @Test func linesWrapAtWordsWithAHangingIndent() {
        let lines = Prose.wrapped("longhaul: a.iso: The server failed. Try again later, please.", columns: 30)
        #expect(lines == ["longhaul: a.iso: The server", "  failed. Try again later,", "  please."])
    }

    @Test func lineThatFitsIsUnchanged() {
        #expect(Prose.wrapped("  Watch:  longhaul watch 1", columns: 30) == ["  Watch:  longhaul watch 1"])
    }

    @Test(arguments: [
        "longhaul retry 5da2533a -u USER", "longhaul conditions set metered no", "longhaul limits --reset",
        "longhaul credentials give photos https://h -u USER", "longhaul anyway --undo 5da2533a",
        "longhaul retry --session org.example.photos 5da2533a", "longhaul list --state waiting",
        "longhaul session org.example.photos --acknowledge-damage", "systemctl --user restart longhaul.socket",
        "sudo loginctl enable-linger ada", "longhaul service start",
    ]) func commandStaysOnOneLine(_ command: String) {
        let text = "To do what this sentence is about, run \(command). Then it continues."
        for columns in 60...90 {
            let lines = Prose.wrapped(text, columns: columns)
            #expect(lines.contains { $0.contains(command + ".") }, "\(lines)")
            #expect(lines.allSatisfy { DisplayText.width($0) <= columns })
            #expect(lines.map { $0.trimming { $0 == " " } }.joined(separator: " ") == text)
        }
    }

    @Test func proseAfterACommandWraps() {
        let words: [Substring] = ["longhaul", "retry", "5da2533a", "tries", "it", "again"]
        #expect(CommandSpan.length(words) == 3)
        #expect(CommandSpan.length(["longhaul", "is", "a", "program"]) == 1)
        #expect(CommandSpan.length(["longhaul,", "retry"]) == 0)
    }

    @Test func commandWiderThanTheTerminalWraps() {
        let lines = Prose.wrapped("Run longhaul retry 5da2533a -u USER.", columns: 20)
        #expect(lines.allSatisfy { DisplayText.width($0) <= 20 }, "\(lines)")
    }

    @Test func terminalGetsWrappedLinesAndAPipeDoesNot() {
        let text = String(repeating: "word ", count: 30) + "end."
        let pipe = TestWorld()
        pipe.console().say(text)
        pipe.console().show(text)
        #expect(pipe.saidLines == [text] && pipe.printedLines == [text])
        let terminal = TestWorld()
        let console = terminal.console(canRedraw: true, isOutputTerminal: true)
        console.say(text)
        console.show(text, indent: 10)
        #expect(terminal.saidLines.count == 2 && terminal.saidLines.last?.hasPrefix("  word") == true)
        #expect(terminal.printedLines.dropFirst().first?.hasPrefix("          word") == true)
        #expect((terminal.saidLines + terminal.printedLines).allSatisfy { $0.count < 80 })
    }

    @Test func identifiersInSentencesAreShort() {
        let failure = TransferFailure(.predecessorFailed, "The predecessor, transfer \(id(1)), failed.")
        #expect(StateText.sentence(failure) == "The predecessor, transfer 00000001, failed")
        #expect(ShortID.shortening("See /files/\(id(1))/a.") == "See /files/\(id(1))/a.")
    }
}
