import LonghaulCore
import TestSupport
import Testing

@testable import LonghaulRuntime

/// Callers of a session that is being closed.
@Suite struct ClosingTests {
    enum Ending: CaseIterable { case stop, release, lostStore }

    private static let kinds = ["plan", "settled", "memory", "comparison", "submission", "control"]

    private let temporary: TemporaryDirectory
    private let layout: SessionLayout

    init() throws {
        temporary = try TemporaryDirectory()
        layout = SessionLayout(directory: temporary.path + "/session")
    }

    /// Sends each kind of request that has a caller.
    private static func call(_ runtime: SessionRuntime, _ answers: Kept<String>) {
        runtime.planHandoff(grace: .seconds(1), hasService: true) { _ in answers.keep("plan") }
        runtime.whenSettled { answers.keep("settled") }
        runtime.releaseMemory { answers.keep("memory") }
        runtime.reconcile { _ in answers.keep("comparison") }
        runtime.send(.submit([LoopWorld.request()])) { _ in answers.keep("submission") }
        runtime.send(.control(.pause, .all)) { _ in answers.keep("control") }
    }

    @Test(arguments: Ending.allCases) func closingSessionAnswersEveryCaller(_ ending: Ending) async throws {
        let runtime = try LiveSession(layout).runtime
        let answers = Kept<String>()
        let rounds = 50
        let threads = (0..<3).map { _ in
            Task.detached { for _ in 0..<rounds { Self.call(runtime, answers) } }
        }
        Self.call(runtime, answers)
        switch ending {
        case .stop: break
        case .release: runtime.release(.forced) { _ in answers.keep("release") }
        case .lostStore: TemporaryDirectory.remove(layout.directory)
        }
        runtime.stop()
        for thread in threads { await thread.value }
        Self.call(runtime, answers)
        let counts = Dictionary(grouping: answers.all) { $0 }.mapValues(\.count)
        var expected = Dictionary(uniqueKeysWithValues: Self.kinds.map { ($0, 3 * rounds + 2) })
        if ending == .release { expected["release"] = 1 }
        #expect(counts == expected)
    }

    /// `isTaken`: the loop has taken the requests with the one that closes it; otherwise they are in the mailbox then.
    @Test(arguments: [false, true]) func requestsDuringClosingAreAnswered(isTaken: Bool) throws {
        let world = try LoopWorld()
        let answers = Kept<String>()
        let token = WatchToken(number: 1)
        let requests: [LoopInput] = [
            .command(.submit([LoopWorld.request()])) { _ in answers.keep("submission") },
            .command(.control(.pause, .all)) { _ in answers.keep("control") },
            .planHandoff(grace: .seconds(1), hasService: true) { _ in answers.keep("plan") },
            .pull(token) { _ in answers.keep("pull") },
            .whenSettled { answers.keep("settled") },
            .releaseMemory { answers.keep("memory") },
            .live { _ in answers.keep("comparison") },
            .release(.whenHarmless) { _ in answers.keep("release") },
            .rest { _ in answers.keep("rest") },
        ]
        let mailbox = LonghaulRuntime.Mailbox()
        if !isTaken { mailbox.put(requests) }
        world.loop.shutDown(mailbox, isTaken ? requests : [])
        let kinds = Self.kinds + ["pull", "release", "rest"]
        #expect(answers.all.sorted() == kinds.sorted())
    }
}
