import LonghaulCore
import Testing

@testable import LonghaulCommand

struct ProgressViewTests {
    private func view(_ columns: Int, rows: Int = 24) -> ProgressView {
        ProgressView(session: .commandLine, size: Console.Size(columns: columns, rows: rows))
    }

    private func book(_ transfers: [TransferSnapshot]) -> WatchedTransfers {
        var book = WatchedTransfers(following: transfers.map(\.id))
        for transfer in transfers { _ = book.apply(transfer) }
        return book
    }

    @Test(arguments: [
        (20, "↓ big.iso      45%"),
        (40, "↓ big.iso             45% of 30.0 MiB"),
        (50, "↓ big.iso            45% of 30.0 MiB     3.2 MiB/s"),
        (60, "↓ big.iso            45% of 30.0 MiB     3.2 MiB/s     0:06"),
        (80, "↓ big.iso   [=====>       ]  45% of 30.0 MiB     3.2 MiB/s     0:06"),
    ])
    func aRunningTransferFitsTheWidth(columns: Int, line: String) {
        let transfer = snapshot(done: 14_155_776, total: 31_457_280, rate: 3_400_000)
        let text = view(columns).line(transfer, now: start)
        #expect(text.split(separator: " ") == line.split(separator: " "))
        #expect(DisplayText.width(text) == columns - 1)
    }

    @Test func wideTerminalExtendsName() {
        let name = String(repeating: "n", count: 90)
        let line = view(200).line(snapshot(name: name, done: 50, total: 100, rate: 10), now: start)
        let bar = line.split(separator: "[").last?.prefix { $0 != "]" } ?? ""
        #expect(bar.count == 38 && bar.count { $0 == "=" } == 19)
        #expect(line.hasPrefix("↓ \(name) ") && DisplayText.width(line) == 199)
    }

    @Test(arguments: [0, 1, 2, 7, 20, 33, 40, 55, 73, 80, 91, 120, 200, 500])
    func noLineIsEverTooWide(columns: Int) {
        let failure = TransferFailure(.hostNotFound, "could not find the host 漢字.example\u{1B}[5m")
        let transfers = [
            snapshot(1, name: "漢字漢字漢字漢字漢字漢字漢字漢字漢字", done: 5, total: 9, rate: 1),
            snapshot(2, done: .max, rate: .max), snapshot(3, .awaitingResponse),
            snapshot(4, .waiting(Waiting(.retry, since: start, until: start + .seconds(4), failure: failure))),
            snapshot(5, .paused), snapshot(6, .running(.verifying)),
        ]
        for line in view(columns).lines(book(transfers), now: start) {
            #expect(DisplayText.width(line) <= max(0, columns - 1))
            #expect(!line.contains("\u{1B}"))
        }
    }

    @Test func waitingTransferShowsReasonAndTime() {
        let waiting = Waiting(.retry, since: start, until: start + .seconds(4), failure: .noHost)
        let line = view(200).line(snapshot(1, .waiting(waiting)), now: start)
        #expect(
            line == "↓ big.iso  retry in 4 s (attempt 2): could not find the host nohost.example")
    }

    @Test(arguments: [
        (TransferState.awaitingResponse, "↓ big.iso  awaiting response"),
        (.running(.verifying), "↓ big.iso  verifying"),
        (.paused, "↓ big.iso  paused; resume with: longhaul resume 00000001"),
    ])
    func everyPhaseHasItsWords(state: TransferState, line: String) {
        #expect(view(80).line(snapshot(1, state), now: start) == line)
    }

    @Test func moreTransfersThanLinesAreSummedUp() {
        let running = (1...30).map { snapshot(UInt64($0)) }
        let queued = (31...50).map { snapshot(UInt64($0), .waiting(Waiting(.turn, since: start))) }
        let lines = view(80, rows: 10).lines(book(running + queued), now: start)
        #expect(lines.count == 9)
        #expect(lines.last == "0 succeeded, 30 running, 20 waiting")
    }

    @Test func summaryShowsCombinedProgress() {
        let two = [snapshot(1, done: 50, total: 100, rate: 10), snapshot(2, done: 0, total: 100, rate: 5)]
        #expect(view(80).lines(book(two), now: start).last == "0 succeeded, 2 running; 25% of 200 B, 15 B/s, 0:10 left")
        let queued = snapshot(3, .waiting(Waiting(.turn, since: start)))
        #expect(
            view(80).lines(book(two + [queued]), now: start).last
                == "0 succeeded, 2 running, 1 waiting; 50 B of at least 200 B, 15 B/s")
    }

    @Test func runningTransfersComeFirst() {
        let lines = view(80, rows: 4).lines(
            book([snapshot(1, .paused), snapshot(2, name: "runs"), snapshot(3, name: "too")]), now: start)
        #expect(lines[0].hasPrefix("↓ runs") && lines[1].hasPrefix("↓ too"))
    }

    @Test func singleQueuedTransferShowsItsLimit() {
        var transfer = snapshot(1, .waiting(Waiting(.turn, since: start)))
        (transfer.turnLimit, transfer.turnLimitCount) = (.host, 6)
        #expect(
            view(140).lines(book([transfer]), now: start) == [
                "↓ big.iso  waiting: limit of 6 per host host.example; start now with: longhaul retry 00000001"
            ])
    }

    /// In a long list the limit is stated once.
    @Test func listStatesEachFullLimitOnce() {
        var (first, second) = (snapshot(1, .waiting(Waiting(.turn, since: start))), snapshot(2))
        (first.turnLimit, first.turnLimitCount) = (.total, 1)
        second.state = first.state
        (second.turnLimit, second.turnLimitCount) = (.total, 1)
        let text = rows(200, first, second).joined(separator: "\n")
        let limit = "limit of 1 in total; start now with: longhaul retry 00000001"
        #expect(text.split(separator: limit).count == 2, "\(text)")
        #expect(!text.contains("retry 00000002"))
    }

    private func rows(_ columns: Int, usesColour: Bool = false, _ transfers: TransferSnapshot...) -> [String] {
        var table = TransferTable(
            session: .commandLine, now: start,
            terminal: TransferTable.Terminal(columns: columns, usesColour: usesColour))
        for transfer in transfers { table.add(transfer) }
        return String(decoding: table.removeBytes(), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test func aListFitsItsTerminal() {
        let moving = snapshot(1, done: 25 << 20, total: 100 << 20, rate: 1 << 20)
        #expect(rows(100, moving).last?.hasSuffix("1.0 MiB/s, 1:15 left") == true)
        #expect(rows(120, moving).first?.contains("receiving 25%      100.0 MiB    1.0 MiB/s     1:15") == true)
        let long = String(repeating: "n", count: 70)
        let failed = snapshot(2, .failed(.noHost), name: long)
        for columns in [20, 40, 79, 80, 200] {
            let rows = rows(columns, moving, failed)
            #expect(rows.allSatisfy { DisplayText.width($0) <= max(columns, 39) }, "\(rows)")
        }
        let waiting = snapshot(3, .paused, name: long)
        for columns in [20, 40, 79, 80, 119, 200] {
            #expect(rows(columns, waiting).joined().replacing(" ", with: "").contains(long))
        }
        let coloured = rows(100, usesColour: true, failed, moving)
        #expect(coloured[0].contains("\u{1B}[31mfailed\u{1B}[0m") && !coloured.last!.contains("\u{1B}"))
    }

    @Test func heldHostShowsRetryTime() {
        var transfer = snapshot(1, .waiting(Waiting(.turn, since: start, until: start + .seconds(3_600))))
        transfer.turnLimit = .heldHost
        let phrase =
            "waiting: host.example requested a pause (Retry-After); continues in 1 h; retry now with: longhaul retry 00000001"
        #expect(view(200).lines(book([transfer]), now: start) == ["↓ big.iso  " + phrase])
        var table = TransferTable(session: .commandLine, now: start)
        table.add(transfer)
        #expect(String(decoding: table.removeBytes(), as: UTF8.self).hasSuffix("          " + phrase + "\n"))
        var json = JSONWriter()
        json.transfer(transfer)
        let text = String(decoding: json.bytes, as: UTF8.self)
        #expect(text.contains(#""until":"2026-01-02T04:04:05.000000Z","retryAfter":null,"turnLimit":"heldHost""#))
    }
}
