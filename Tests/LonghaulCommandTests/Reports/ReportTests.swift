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

    @Test func plainReportPrintsStartStepsAndEnd() {
        let test = TestWorld()
        var report = PlainReport(session: .commandLine, console: test.console())
        feed(
            &report,
            [
                (0, snapshot(1, .running(.preparing))), (0, snapshot(1, done: 1 << 20, total: 100 << 20)),
                (1, snapshot(1, done: 5 << 20, total: 100 << 20)),
                (2, snapshot(1, done: 12 << 20, total: 100 << 20, rate: 7)),
                (3, snapshot(1, done: 13 << 20, total: 100 << 20)),
                (40, snapshot(1, done: 14 << 20, total: 100 << 20, rate: 1)),
                (41, snapshot(1, .succeeded, done: 100 << 20, total: 100 << 20)),
            ])
        #expect(
            test.saidLines == [
                "00000001 big.iso: receiving", "00000001 big.iso: 12% 12.0 MiB of 100.0 MiB, 7 B/s",
                "00000001 big.iso: 14% 14.0 MiB of 100.0 MiB, 1 B/s",
                "00000001 downloaded big.iso (100.0 MiB in 4.0 s, 25.0 MiB/s): /there/big.iso",
            ])
        #expect(test.printed == "/there/big.iso\n")
    }

    @Test func tinyFileHasOneLineUnlessItIsSlow() {
        let steps: [(Int64, TransferSnapshot)] = [
            (0, snapshot(1, done: 1, total: 17)), (1, snapshot(1, done: 9, total: 17)),
            (1, snapshot(1, .running(.verifying), done: 17, total: 17)),
        ]
        let end: (Int64, TransferSnapshot) = (2, snapshot(1, .succeeded, done: 17, total: 17))
        let slow: (Int64, TransferSnapshot) = (32, snapshot(1, .running(.verifying), done: 17, total: 17, rate: 1))
        for (more, count) in [([], 1), ([slow], 2)] {
            let test = TestWorld()
            var report = PlainReport(session: .commandLine, console: test.console())
            feed(&report, steps + more + [end])
            #expect(test.saidLines.count == count, "\(test.said)")
            #expect(test.saidLines.last == "00000001 downloaded big.iso (17 B, 4.0 s): /there/big.iso")
        }
    }

    @Test func restartAndMissingResumeSupportAreReported() {
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
        #expect(ReportText.ended(posted, in: .commandLine) == "answered POST /x (400 B, 4.0 s)", "a latency is no rate")
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

    @Test func quietReportPrintsOnlyErrors() {
        let test = TestWorld()
        var report = QuietReport(session: .commandLine, console: test.console())
        feed(&report, [(0, snapshot(1)), (1, snapshot(1, .failed(.noHost)))])
        #expect(
            test.saidLines == ["longhaul: big.iso: could not find the host nohost.example."])
    }

    @Test func quietReportExplainsWaitOfJoinedTransfer() {
        let test = TestWorld()
        let night = snapshot(1, .waiting(Waiting(.hours, since: start, until: start + .seconds(7_200))))
        for isNew in [true, false] {
            var report = QuietReport(session: .commandLine, console: test.console())
            let spec = TransferSpec(
                work: .download(DownloadSpec(directory: "/there")), method: "GET", url: "http://host.example/big.iso")
            report.submitted(id(1), spec, isNew: isNew)
            feed(&report, [(0, night), (1, snapshot(1)), (2, night)])
        }
        #expect(
            test.saidLines == [
                "longhaul: big.iso: waiting for its allowed hours; continues in 2 h; start now with: "
                    + "longhaul retry 00000001"
            ])
    }

    @Test func subjectIsNotRepeated() {
        let failure = TransferFailure(.digestMismatch, "big.iso does not match its digest. Download it again.")
        let line = "longhaul: big.iso does not match its digest. Download it again."
        #expect(ErrorLine.text(failure, of: snapshot(1, .failed(failure)), in: .commandLine) == line)
        #expect(ErrorLine.text(failure, subject: "big.iso") == line)
        #expect(ErrorLine.text(failure, subject: "big") == "longhaul: big: " + line.dropFirst(10))
    }

    /// A batch of transfers, of which the first ones fail.
    private func batch(_ count: UInt64, failing: UInt64) -> WatchedTransfers {
        var book = WatchedTransfers(following: (1...count).map(id))
        for number in 1...count {
            let state = number <= failing ? TransferState.failed(.noHost) : .succeeded
            _ = book.apply(snapshot(number, state, name: "f\(number)"))
        }
        return book
    }

    @Test func summaryNamesTenFailuresWithCommands() {
        for group in [nil, "my films"] {
            let plain = TestWorld()
            var lines = PlainReport(session: .commandLine, group: group, console: plain.console())
            lines.finish(batch(200, failing: 12), status: .success, now: start)
            let option = group == nil ? "" : " --group 'my films'"
            #expect(plain.saidLines.first == "188 succeeded, 12 failed")
            #expect(plain.saidLines[1] == "  f1: could not find the host nohost.example")
            #expect(
                plain.saidLines.suffix(4) == [
                    "  f10: could not find the host nohost.example", "  and 2 more",
                    "  List them: longhaul list\(option) --state failed",
                    "  Retry them: longhaul retry\(option) --state failed",
                ])
            let terminal = TestWorld()
            var area = LiveReport(session: .commandLine, group: group, console: terminal.console(canRedraw: true))
            area.finish(batch(200, failing: 12), status: .success, now: start)
            #expect(plain.saidLines.allSatisfy { terminal.said.contains($0 + "\u{1B}[K\n") }, "\(terminal.said)")
        }
    }

    @Test func batchWithoutFailuresHasOneLine() {
        let test = TestWorld()
        var report = PlainReport(session: .commandLine, console: test.console())
        report.finish(batch(2, failing: 0), status: .success, now: start)
        #expect(test.saidLines == ["2 succeeded"])
    }
}

private final class SizeBox: Sendable {
    private let size = Mutex(Console.Size(columns: 80, rows: 24))

    var value: Console.Size {
        get { size.withLock { $0 } }
        set { size.withLock { $0 = newValue } }
    }
}
