import LonghaulCore
import Synchronization
import Testing

@testable import LonghaulCommand

/// `top` with a scripted service on a scripted terminal.
struct TopRunTests {
    private let test: TestWorld
    private let written = Written()
    private let events: AsyncStream<ScreenDevice.Event>
    private let continuation: AsyncStream<ScreenDevice.Event>.Continuation

    private final class Written: Sendable {
        let output = Mutex("")
        let suspensions = Mutex(0)
    }

    init() {
        let list = WatchUpdate(changed: [snapshot(1)], removed: [], beginsList: true, completesList: true)
        test = TestWorld(
            ScriptedService { state in
                state.watches = [ScriptedService.Watch(updates: [list])]
                state.transfers = [snapshot(1, done: 1, total: 2)]
            })
        (events, continuation) = AsyncStream<ScreenDevice.Event>.makeStream()
    }

    private func run(_ events: ScreenDevice.Event...) async -> LonghaulCommand.ExitStatus {
        for event in events { continuation.yield(event) }
        let device = ScreenDevice(
            events: self.events, size: { Console.Size(columns: 80, rows: 24) },
            write: { [written] bytes in written.output.withLock { $0 += String(decoding: bytes, as: UTF8.self) } },
            suspend: { [written] in written.suspensions.withLock { $0 += 1 } }, retake: {}, close: {})
        return await TopRun(world: test.world(), session: .commandLine, device: device).run()
    }

    @Test(arguments: [UInt8(ascii: "q"), 3]) func leavingIsNoFailure(key: UInt8) async {
        #expect(await run(.typed([key])) == .success)
    }

    @Test(arguments: [
        (Signal.interrupt, LonghaulCommand.ExitStatus.interrupted), (.terminate, .terminated), (.hangUp, .hungUp),
    ])
    func aSignalEndsIt(signal: Signal, status: LonghaulCommand.ExitStatus) async {
        #expect(await run(.signal(signal)) == status)
    }

    @Test func aTerminalThatIsGoneEndsIt() async {
        #expect(await run(.closed) == .hungUp)
    }

    @Test func afterAPauseTheWholeScreenIsDrawnAgain() async {
        #expect(await run(.resized, .typed([0x1A]), .continued, .typed(Array("q".utf8))) == .success)
        #expect(written.suspensions.withLock { $0 } == 1)
        let times = written.output.withLock {
            $0.split(separator: "\u{1B}[2J", omittingEmptySubsequences: false).count - 1
        }
        #expect(times == 3)
    }

    /// A tick without changes writes nothing to the terminal.
    @Test func idleScreenIsNotDrawnAgain() async {
        var state = TopState(session: .commandLine, size: Console.Size(columns: 80, rows: 24))
        let list = WatchUpdate(changed: [snapshot(1, .paused)], removed: [], beginsList: true, completesList: true)
        _ = state.handle(.update(list), now: start)
        let drawn = TopView.screen(&state, now: start)
        let page = ListPage(transfers: [snapshot(1, .paused)], hasMore: false, totals: SessionTotals())
        for second in 1...3 as ClosedRange<Int64> {
            _ = state.handle(.page(page), now: start + .seconds(second))
            let screen = TopView.screen(&state, now: start + .seconds(second))
            #expect(screen.drawing(over: drawn, usesColour: true).isEmpty)
        }
    }

    @Test func topWithoutTerminalSuggestsListAndWatch() async {
        #expect(await test.run("top") == 2)
        #expect(test.said.contains("longhaul list") && test.said.contains("longhaul watch"))
    }
}
