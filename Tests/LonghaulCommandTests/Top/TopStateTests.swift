import LonghaulCore
import Testing

@testable import LonghaulCommand

struct TopStateTests {
    private func top(_ transfers: [TransferSnapshot], columns: Int = 80, rows: Int = 24) -> TopState {
        var state = TopState(session: .commandLine, size: Console.Size(columns: columns, rows: rows))
        let list = WatchUpdate(changed: transfers, removed: [], beginsList: true, completesList: true)
        _ = state.handle(.update(list), now: start)
        _ = state.handle(.page(ListPage(transfers: [], hasMore: false, totals: SessionTotals())), now: start)
        return state
    }

    private func press(_ keys: String, _ state: inout TopState) -> [TopState.Action] {
        keys.flatMap { state.handle(.key(.character($0)), now: start) }.filter { action in
            if case .query = action { false } else { true }
        }
    }

    private func lines(_ state: TopState) -> [String] {
        var state = state
        return TopView.screen(&state, now: start).lines
    }

    private static let queued = TransferState.waiting(Waiting(.turn, since: start))

    @Test func activeTransfersPrecedeQueue() {
        var late = snapshot(4, Self.queued, name: "late")
        late.priority = -1
        let state = top([
            snapshot(1, .paused, name: "still"), late, snapshot(5, Self.queued, name: "next"),
            snapshot(6, name: "moves", done: 1 << 20, total: 4 << 20, rate: 1 << 20),
            snapshot(7, .waiting(Waiting(.retry, since: start)), name: "tries"),
        ])
        let names = lines(state)[3..<8].map { $0.dropFirst(4).prefix { $0 != " " } }
        #expect(names == ["moves", "tries", "next", "late", "still"])
        #expect(lines(state)[3].hasSuffix("receiving           25%     4.0 MiB    1.0 MiB/s     0:03"))
    }

    @Test(arguments: [
        ("p", TopState.Action.control(.pause, id(1), done: "Paused.")),
        ("r", .control(.resume, id(1), done: "Resumed.")), ("t", .control(.retry, id(1), done: "Started again.")),
        ("cy", .control(.cancel, id(1), done: "Cancelled.")), ("f", .place(.first, id(1))),
        ("l", .place(.last, id(1))),
        ("+", .adjust(TransferAdjustment(priority: 1), id(1), done: "Priority: 1")),
        ("a", .adjust(TransferAdjustment(ignoresConditions: true), id(1), done: "Continues under any conditions.")),
        ("i", .reason(id(1))), ("h", .history(id(1))), ("q", .leave),
        ("jjkkkp", .control(.pause, id(1), done: "Paused.")),
        ("jp", .control(.pause, id(2), done: "Paused.")),
    ])
    func keysConcernTheSelectedTransfer(keys: String, action: TopState.Action) {
        var state = top([snapshot(1), snapshot(2)])
        #expect(press(keys, &state) == [action])
    }

    @Test(arguments: [30, 40, 80, 120]) func theKeysAreNamedThatThereIsRoomForAndHowToLeaveAlways(columns: Int) {
        let keys = lines(top([snapshot(1)], columns: columns)).last ?? ""
        #expect(keys.hasSuffix("? keys  q quit") && keys.count <= columns)
        #expect(keys.contains("h history") == (columns >= 80))
    }

    @Test func speedsAreTyped() {
        var state = top([snapshot(1)])
        #expect(press("s5x", &state).isEmpty)
        #expect(lines(state).last == "Speed of big.iso (500k, 2M, none): 5x_")
        _ = state.handle(.key(.backspace), now: start)
        _ = press("00k", &state)
        let adjusted = state.handle(.key(.enter), now: start)
        #expect(
            adjusted.first == .adjust(TransferAdjustment(rateLimit: 512_000), id(1), done: "Limited to 500.0 KiB/s."))
        _ = press("S2M", &state)
        #expect(state.handle(.key(.enter), now: start).first == .limit(2 << 20))
        _ = press("Sfast", &state)
        #expect(state.handle(.key(.enter), now: start).isEmpty)
        #expect(lines(state).last?.contains("not \"fast\"") == true)
        _ = press("s1", &state)
        #expect(state.handle(.key(.escape), now: start).isEmpty && state.mode == .list)
    }

    @Test func losingPauseAsksForConfirmation() {
        var moving = snapshot(1, done: 9 << 20)
        moving.losesBytesWhenStopped = true
        var state = top([moving])
        #expect(press("p", &state).isEmpty)
        #expect(lines(state).last == "big.iso cannot be resumed: a pause loses 9.0 MiB. Pause anyway? y/n")
        #expect(press("n", &state).isEmpty && state.mode == .list)
        #expect(press("cn", &state).isEmpty, "whatever is not a yes is a no")
    }

    @Test func theSelectionStaysOnItsTransferAndItsLineInView() {
        var state = top((1...1_000).map { snapshot($0) }, rows: 15)
        _ = state.handle(.key(.end), now: start)
        #expect(state.selected == id(1_000) && state.first == 990)
        // Two transfers before it end; then they are listed after it.
        let ended = WatchUpdate(
            changed: [], removed: [], succeeded: [.init(id: id(3)), .init(id: id(999))])
        _ = state.handle(.update(ended), now: start)
        #expect(state.visible.contains(id(1_000)) && state.selected == id(1_000) && state.selectedIndex == 997)
        _ = state.handle(.update(WatchUpdate(changed: [], removed: [id(1_000)])), now: start)
        #expect(state.visible.count == 10 && state.selectedIndex == 997)
        _ = press("/ISO", &state)
        #expect(state.handle(.key(.enter), now: start) != [] || state.selectedTransfer?.name == "big.iso")
    }

    @Test func selectionIsFirstUntilAKeyIsPressed() {
        var state = top((1...40).map { snapshot($0) })
        let ended = WatchUpdate(changed: [], removed: [], succeeded: [.init(id: id(1))])
        _ = state.handle(.update(ended), now: start)
        #expect(state.visible.first == id(2) && state.selected == id(2) && state.first == 0)
        _ = press("?", &state)
        _ = state.handle(.update(WatchUpdate(changed: [], removed: [], succeeded: [.init(id: id(2))])), now: start)
        #expect(state.visible.contains(id(2)) && state.selected == id(2))
    }

    @Test func failedTransfersPrecedeOtherEndedOnes() {
        var state = top([snapshot(300)])
        let ended = (1...200).map { snapshot($0, $0 == 1 ? .failed(.noHost) : .succeeded) }
        _ = state.handle(.ended(ended), now: start)
        #expect(state.visible.prefix(2) == [id(300), id(1)])
    }

    @Test func totalIsShownForSeveralTransfers() {
        var state = top([snapshot(1, done: 50, total: 100), snapshot(2, done: 0, total: 100)])
        var page = ListPage(transfers: [], hasMore: false, totals: SessionTotals())
        page.rate = 15
        _ = state.handle(.page(page), now: start)
        #expect(lines(state)[1] == "25% of 200 B, 15 B/s, 0:10 left")
        #expect(lines(top([snapshot(1, done: 50, total: 100)]))[1].isEmpty)
    }

    @Test func historyPanelShowsItsEndFirst() {
        var state = top([snapshot(1)])
        let history = (1...60).map { "line \($0)" }
        _ = state.handle(.panel(title: "History", lines: history, showsEnd: true), now: start)
        #expect(lines(state).contains("line 60") && !lines(state).contains("line 1"))
    }

    @Test func topQueriesVisibleRowsOneQueryAtATime() {
        var state = top((1...1_000).map { snapshot($0) }, rows: 15)
        #expect(state.handle(.tick, now: start) == [.query((1...10).map(id))])
        #expect(state.handle(.tick, now: start).isEmpty)
        _ = state.handle(.page(ListPage(transfers: [], hasMore: false, totals: SessionTotals())), now: start)
        #expect(state.handle(.key(.down), now: start).isEmpty, "it is all there")
        #expect(state.handle(.key(.pageDown), now: start) == [.query((3...12).map(id))])
    }

    /// The list has only transfers that have not ended: a transfer missing from the next list has ended without an update, or was removed.
    @Test func transfersMissingAfterReconnectAreQueried() {
        var state = top([snapshot(1), snapshot(2), snapshot(3)])
        _ = state.handle(.lost("the service went away; connecting again"), now: start)
        #expect(lines(state).last == "the service went away; connecting again")
        let list = WatchUpdate(changed: [snapshot(2)], removed: [], beginsList: true, completesList: true)
        _ = state.handle(.found, now: start)
        #expect(state.handle(.update(list), now: start) == [.query([id(1), id(2), id(3)])])
        let page = ListPage(
            transfers: [snapshot(1, .succeeded), snapshot(2)], hasMore: false, totals: SessionTotals())
        _ = state.handle(.page(page), now: start)
        #expect(state.visible == [id(2), id(1)])
        #expect(state.book.transfers[id(1)]?.state == .succeeded)
    }

    @Test func ofThoseThatHaveEndedTheNewestAreKept() {
        var state = top((1...300).map { snapshot($0) })
        let ended = (1...300).map { WatchUpdate.Success(id: id($0)) }
        _ = state.handle(.update(WatchUpdate(changed: [], removed: [], succeeded: ended)), now: start)
        _ = state.visible
        #expect(state.book.transfers.count == TopTransfers.keptEnded)
    }

    @Test func endedTransfersAreFoundAndRemoved() {
        var state = top([snapshot(1)])
        _ = state.handle(
            .ended([snapshot(2, .succeeded, name: "old"), snapshot(3, .failed(.noHost), name: "bad")]), now: start)
        #expect(lines(state)[4...5].map { $0.contains("bad") || $0.contains("old") } == [true, true])
        _ = press("/failed", &state)
        _ = state.handle(.key(.enter), now: start)
        #expect(state.selected == id(3))
        var totals = SessionTotals()
        (totals.succeeded, totals.failed) = (1, 1)
        _ = state.handle(.page(ListPage(transfers: [], hasMore: false, totals: totals)), now: start)
        #expect(
            press("D", &state).isEmpty && lines(state).last?.contains("all ended transfers from the list (2)") == true)
        #expect(press("y", &state) == [.forgetEnded])
    }

    @Test func eachKeyHasOneMeaning() {
        let keys = TopState.help.flatMap { $0.0.split(whereSeparator: { $0 == " " || $0 == "," }) }
        #expect(Set(keys).count == keys.count)
        let words = ["p": "pause", "r": "resume", "t": "retry", "c": "cancel", "d": "remove"]
        let bottom = lines(top([snapshot(1)], columns: 120)).last ?? ""
        for (key, word) in words {
            #expect(bottom.contains("\(key) \(word)"), "\(bottom)")
            #expect(TopState.help.contains { $0.0 == key && $0.1.hasPrefix(word) })
        }
    }

    @Test func cancelAndRemoveDoNotReplaceEachOther() {
        var state = top([snapshot(1)])
        #expect(press("d", &state).isEmpty && state.mode == .list)
        #expect(lines(state).last == "It has not ended. Press c to cancel it first.")
        var ended = top([])
        _ = ended.handle(.ended([snapshot(2, .succeeded)]), now: start)
        #expect(press("gc", &ended).isEmpty && ended.mode == .list)
        #expect(lines(ended).last == "It has ended. Press d to remove it from the list.")
        #expect(press("d", &ended) == [.control(.remove, id(2), done: "Removed from the list.")])
        var failed = top([])
        _ = failed.handle(.ended([snapshot(3, .failed(.noHost), done: 9 << 20)]), now: start)
        #expect(press("gd", &failed).isEmpty)
        #expect(press("y", &failed) == [.control(.remove, id(3), done: "Removed from the list.")])
    }

    @Test func retryCountsDown() {
        let waiting = Waiting(.retry, since: start, until: start + .seconds(62))
        var state = top([snapshot(1, .waiting(waiting))])
        #expect(lines(state)[3].contains("retry in 1:02"))
        #expect(TopView.screen(&state, now: start + .seconds(60)).lines[3].contains("retry in 0:02"))
    }

    @Test func endedTransfersAreNotRequestedAgain() {
        var state = top([snapshot(1)])
        _ = state.handle(.ended([snapshot(2, .succeeded)]), now: start)
        #expect(state.handle(.tick, now: start) == [.query([id(1)])])
    }

    @Test func wideScreenGivesRoomToTheName() {
        let name = String(repeating: "n", count: 70)
        let line = lines(top([snapshot(1, name: name, done: 1, total: 2)], columns: 300))[3]
        #expect(line.contains(name) && line.contains("host.example"))
        #expect(line.split(separator: "[").last?.prefix { $0 != "]" }.count == 37)
    }

    @Test func barTakesWhatNamesLeave() {
        let line = lines(top([snapshot(1, done: 1, total: 2)], columns: 120))[3]
        #expect(line.split(separator: "[").last?.prefix { $0 != "]" }.count == 34, "\(line)")
        let name = String(repeating: "n", count: 28)
        #expect(lines(top([snapshot(1, name: name)], columns: 120))[3].contains(name))
    }

    /// For any size and mode, and with wide or dangerous names.
    @Test(arguments: [1, 2, 5, 24, 40], [1, 3, 20, 47, 60, 80, 120, 300])
    func everySizeIsDrawn(rows: Int, columns: Int) {
        let failure = TransferFailure(.hostNotFound, "could not find the host 漢字.example\u{1B}[5m")
        var state = top(
            [
                snapshot(1, name: "漢字漢字漢字漢字漢字\u{1B}[2J", done: 5, total: 9, rate: 1),
                snapshot(2, done: .max, rate: .max),
                snapshot(3, .failed(failure)), snapshot(4, Self.queued), snapshot(5, .running(.preparing), total: 0),
            ], columns: columns, rows: rows)
        let keys = ["", "?", "xs1234567890", "\u{1B}", "/", "\u{1B}c"]
        for key in keys {
            for pressed in TopKey.keys(in: Array(key.utf8)) { _ = state.handle(.key(pressed), now: start) }
            check(state, columns)
        }
        _ = state.handle(.panel(title: "漢字漢字", lines: ["one two three four", ""]), now: start)
        for key in [TopKey.down, .pageDown, .up] { _ = state.handle(.key(key), now: start) }
        check(state, columns)
    }

    private func check(_ state: TopState, _ columns: Int) {
        for line in lines(state) { #expect(DisplayText.width(line) <= columns && !line.contains("\u{1B}")) }
    }
}
