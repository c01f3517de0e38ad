import LonghaulCore
import Testing

/// Every combination of the policy's inputs, compared with the rule in a second form, as a table.
@Suite struct HandoffPolicyTests {
    typealias Policy = HandoffPolicy

    private static let now = WallTime(seconds: 1_000)
    private static let failure = TransferFailure(.connectionLost, "It broke.")

    /// The kinds of states in the table, with every state of each.
    private enum Kind: CaseIterable {
        case still, preparing, body, verifying, awaiting

        var states: [TransferState] {
            switch self {
            case .still:
                return Waiting.Reason.allCases.map { .waiting(Waiting($0, since: now)) }
                    + [.paused, .succeeded, .failed(failure), .cancelled]
            case .preparing: return [.running(.preparing)]
            case .body: return [.running(.sending), .running(.receiving)]
            case .verifying: return [.running(.verifying)]
            case .awaiting: return [.awaitingResponse]
            }
        }
    }

    /// Bytes done, total bytes, rate, and seconds until the end plus a quarter; `nil` if that is unknown.
    private static let figures: [(done: Int64, total: Int64?, rate: Int64, seconds: Int64?)] = [
        (0, 1_000, 100, nil), (200, 1_000, 100, 10), (200, 1_000, 99, nil), (1_000, 1_000, 1, 0), (999, 1_000, 0, nil),
        (0, nil, 100, nil), (0, 0, 100, 0), (0, .max, 1, nil), (2_000, 1_000, 1, 0), (600, 1_000, 100, 5),
    ]

    @Test(arguments: [true, false]) func everyCombinationHasItsFate(hasService: Bool) {
        var seen = 0
        for kind in Kind.allCases {
            for state in kind.states {
                for figures in Self.figures {
                    for (canResume, isRepeatable) in [(true, true), (true, false), (false, true), (false, false)] {
                        for grace in [Duration.seconds(-1), .zero, .seconds(10)] {
                            let candidate = Policy.Candidate(
                                id: TransferID(high: 1, low: 1), state: state, bytesDone: figures.done,
                                bytesTotal: figures.total, rate: figures.rate, canResume: canResume,
                                isRepeatable: isRepeatable)
                            let action = Policy.action(
                                of: candidate, now: Self.now, grace: grace, hasService: hasService)
                            let expected = expected(
                                kind, figures.seconds, candidate, grace: grace, hasService: hasService)
                            #expect(action == expected, "\(candidate), grace \(grace)")
                            check(action, candidate, grace: grace, hasService: hasService)
                            seen += 1
                        }
                    }
                }
            }
        }
        #expect(seen > 1_800)
    }

    private func expected(
        _ kind: Kind, _ seconds: Int64?, _ candidate: Policy.Candidate, grace: Duration, hasService: Bool
    ) -> Policy.Action {
        let graceSeconds: Int64 = grace == .seconds(10) ? 10 : grace == .zero ? 0 : -1
        let repeated = candidate.canResume ? 0 : candidate.bytesDone
        let elsewhere: Policy.Action = hasService ? .handOver(repeating: repeated) : .suspend(repeating: repeated)
        switch (kind, seconds, graceSeconds) {
        case (.still, _, _): return .keep
        case (.awaiting, _, let grace):
            let then: Policy.AnswerAction =
                switch (candidate.canResume, candidate.isRepeatable) {
                case (true, _): .query
                case (false, true): .repeat
                case (false, false): .outcomeUnknown
                }
            return .awaitAnswer(until: WallTime(seconds: grace == 10 ? 1_010 : 1_000), then: then)
        case (.preparing, _, _): return elsewhere
        case (.verifying, _, 10): return .finishHere(by: WallTime(seconds: 1_010))
        case (.verifying, _, _): return elsewhere
        case (.body, let end?, let grace) where end <= grace: return .finishHere(by: WallTime(seconds: 1_000 + end))
        case (.body, _, _): return elsewhere
        }
    }

    /// Checks the plan of a session with only this transfer.
    private func check(_ action: Policy.Action, _ candidate: Policy.Candidate, grace: Duration, hasService: Bool) {
        let plan = Policy.plan([candidate], now: Self.now, grace: grace, hasService: hasService)
        #expect(plan.actions == [candidate.id: action])
        switch (action, plan.departure) {
        case (.keep, .now), (.handOver, .now): break
        case (.finishHere(let date), .stay(let until)), (.awaitAnswer(let date, _), .stay(let until)):
            #expect(date == until && until <= Self.now + grace)
        case (.finishHere(let date), .now), (.awaitAnswer(let date, _), .now): #expect(date == Self.now)
        case (.suspend, .stay(let until)): #expect(candidate.canResume && until == Self.now + grace)
        case (.suspend, .now): #expect(!candidate.canResume || grace <= .zero)
        case (.keep, .stay), (.handOver, .stay): Issue.record("nothing to stay for: \(candidate)")
        }
    }

    @Test func theAppStaysForTheLastOfThoseThatEndHere() {
        let candidates = [
            candidate(1, .running(.sending), done: 600), candidate(2, .running(.sending), done: 200),
            candidate(3, .running(.sending), done: 0), candidate(4, .waiting(Waiting(.turn, since: Self.now)), done: 0),
        ]
        let plan = Policy.plan(candidates, now: Self.now, grace: .seconds(10), hasService: true)
        #expect(plan.departure == .stay(until: WallTime(seconds: 1_010)))
        #expect(plan.actions[candidates[2].id] == .handOver(repeating: 0))
    }

    @Test func anAppWithNothingUnderWayGoesAtOnce() {
        #expect(Policy.plan([], now: Self.now, grace: .seconds(10), hasService: true).departure == .now)
    }

    private func candidate(_ number: UInt64, _ state: TransferState, done: Int64) -> Policy.Candidate {
        Policy.Candidate(
            id: TransferID(high: 1, low: number), state: state, bytesDone: done, bytesTotal: 1_000, rate: 100,
            canResume: false, isRepeatable: false)
    }
}
