import LonghaulCore
import Synchronization
import Testing

@testable import LonghaulCommand

struct ReportTests {
    /// Feeds snapshots to a report as an attached command would.
    private func feed(_ report: inout some Report, _ transfers: [(Int64, TransferSnapshot)]) {
        var book = WatchedTransfers(following: [id(1)])
        for (seconds, transfer) in transfers {
            let now = start + .seconds(seconds)
            if let change = book.apply(transfer) { report.changed(change, now: now) }
            report.refresh(book, now: now)
        }
        report.finish(book, status: book.status, now: start)
    }

    @Test func plainLinesTellStartStepsAndEnd() {
        let test = TestWorld()
        var report = PlainReport(session: .commandLine, console: test.console())
        feed(
            &report,
            [
                (0, snapshot(1, .running(.preparing))), (0, snapshot(1, done: 1, total: 100)),
                (1, snapshot(1, done: 5, total: 100)), (2, snapshot(1, done: 12, total: 100, rate: 7)),
                (3, snapshot(1, done: 13, total: 100)), (40, snapshot(1, done: 14, total: 100, rate: 1)),
                (41, snapshot(1, .succeeded, done: 100, total: 100)),
            ])
        #expect(
            test.saidLines == [
                "00000001 big.iso: receiving", "00000001 big.iso: 12% 12 B of 100 B, 7 B/s",
                "00000001 big.iso: 14% 14 B of 100 B, 1 B/s",
                "00000001 downloaded big.iso (100 B in 4.0 s, 25 B/s): /there/big.iso",
            ])
        #expect(test.printed == "/there/big.iso\n")
    }

    @Test func aBeginningAnewAndWhatCannotBeResumedAreTold() {
        var first = snapshot(1, done: 9 << 20, total: 20 << 20)
        first.losesBytesWhenStopped = true
        var second = snapshot(1, done: 5, total: 20 << 20)
        (second.restartCounts, second.restartReason) = (1, .contentChanged)
        let plain = TestWorld()
        var lines = PlainReport(session: .commandLine, console: plain.console())
        feed(&lines, [(0, first), (1, second)])
        #expect(
            plain.saidLines.first?.hasSuffix(
                "receiving; cannot be resumed: restarts from the beginning if paused or interrupted")
                ?? false)
        #expect(plain.said.contains("00000001 big.iso: restarts from the beginning: the file on the server changed\n"))
        let terminal = TestWorld()
        var area = LiveReport(session: .commandLine, console: terminal.console(canRedraw: true))
        feed(&area, [(0, first), (1, second)])
        #expect(
            terminal.said.contains(
                "big.iso: cannot be resumed; restarts from the beginning if paused or\u{1B}[K\n  interrupted"))
        #expect(terminal.said.contains("big.iso: restarts from the beginning: the file on the server changed"))
    }

    @Test func aRequestThatSentNoBodyHasNoAmount() {
        #expect(
            ReportText.ended(snapshot(1, .succeeded, name: "GET /x", direction: .request), in: .commandLine)
                == "answered GET /x")
        let posted = snapshot(1, .succeeded, name: "POST /x", done: 400, direction: .request)
        #expect(ReportText.ended(posted, in: .commandLine) == "answered POST /x (400 B in 4.0 s, 100 B/s)")
    }

    @Test func theLiveAreaIsDrawnAtMostTenTimesASecond() {
        let test = TestWorld()
        var report = LiveReport(session: .commandLine, console: test.console(canRedraw: true))
        var book = WatchedTransfers(following: [id(1)])
        for step in 0..<100 {
            let now = start + .milliseconds(Int64(step) * 10)
            if let change = book.apply(snapshot(done: Int64(step), total: 100)) { report.changed(change, now: now) }
            report.refresh(book, now: now)
        }
        let drawn = test.said.split(separator: "\u{1B}[J").count
        #expect((9...11).contains(drawn))
    }

    @Test func aNarrowerTerminalIsClearedWhole() {
        let test = TestWorld()
        let size = SizeBox()
        var console = test.console(canRedraw: true)
        console.size = { size.value }
        var report = LiveReport(session: .commandLine, console: console)
        var book = WatchedTransfers(following: [id(1)])
        _ = book.apply(snapshot(done: 1, total: 100))
        report.refresh(book, now: start)
        size.value.columns = 20
        report.resized()
        report.refresh(book, now: start + .seconds(1))
        // 79 columns need four rows of twenty.
        #expect(test.said.contains("\r\u{1B}[4A"))
    }

    @Test func everyJSONLineIsAnObjectAndTheLastSumsUp() {
        let test = TestWorld()
        var report = JSONReport(console: test.console())
        feed(&report, [(0, snapshot(1)), (1, snapshot(1, .failed(.noHost)))])
        #expect(test.printedLines.count == 3)
        #expect(test.printedLines[0].hasPrefix(#"{"event":"changed","#))
        #expect(test.printedLines[1].contains(#""code":"hostNotFound""#))
        #expect(test.printedLines[1].contains(#""origin":{"kind":"curl","number":6}"#))
        #expect(test.printedLines[2].hasSuffix(#""failed":1,"cancelled":0,"refused":0,"live":0,"exitStatus":4}"#))
        #expect(test.said.isEmpty)
    }

    @Test func quietTellsOnlyErrors() {
        let test = TestWorld()
        var report = QuietReport(session: .commandLine, console: test.console())
        feed(&report, [(0, snapshot(1)), (1, snapshot(1, .failed(.noHost)))])
        #expect(
            test.saidLines == ["longhaul: big.iso: could not find the host nohost.example."])
    }
}

private final class SizeBox: Sendable {
    private let size = Mutex(Console.Size(columns: 80, rows: 24))

    var value: Console.Size {
        get { size.withLock { $0 } }
        set { size.withLock { $0 = newValue } }
    }
}
