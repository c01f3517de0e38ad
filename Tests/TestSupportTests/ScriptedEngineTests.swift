import LonghaulCore
import TestSupport
import Testing

@Suite struct ScriptedEngineTests {
    private struct Sent: Equatable, Sendable {
        var ticket: Ticket
        var event: EngineEvent
    }

    private let sent = Mailbox<Sent>()
    private let engine: ScriptedEngine

    init() {
        let sent = sent
        engine = ScriptedEngine { sent.append(Sent(ticket: $0, event: $1)) }
    }

    private func start(_ number: UInt64) -> Ticket {
        engine.start(EngineJob(ticket: Ticket(number), work: .files(.discard(["/x\(number)"]))))
        return Ticket(number)
    }

    @Test func aJobEndsWithTheEventTheTestSends() {
        let ticket = start(1)
        #expect(engine.progress(of: ticket) == ExchangeProgress(sent: 0, received: 0))
        engine.emit(ticket, .discarded(nil))
        #expect(sent.all == [Sent(ticket: ticket, event: .discarded(nil))])
        #expect(engine.runningJobs.isEmpty)
        #expect(engine.progress(of: ticket) == nil)
    }

    @Test func aCancelIsAnsweredOnce() {
        let ticket = start(1)
        engine.whole.cancel(ticket)
        engine.whole.cancel(ticket)
        engine.whole.cancel(Ticket(99))
        #expect(sent.all.count == 1)
        #expect(sent.all.first?.event.isEnding == true)
        #expect(engine.cancelled == [ticket, ticket, Ticket(99)])
    }

    @Test func jobsOfAKindCanAnswerThemselves() {
        engine.answerJobs { job in if case .files(.discard) = job.work { .discarded(nil) } else { nil } }
        _ = start(1)
        _ = start(2)
        #expect(sent.all.map(\.ticket) == [Ticket(1), Ticket(2)])
    }

    @Test func aMailboxGivesWhatFitsAndKeepsTheRest() throws {
        let mailbox = Mailbox<Int>()
        startThread { for number in 1...3 { mailbox.append(number) } }
        #expect(try mailbox.next(matching: { $0 == 3 }) == 3)
        #expect(try mailbox.next() == 1)
        #expect(throws: TimedOut.self) { try mailbox.next(matching: { $0 == 9 }, timeout: .milliseconds(1)) }
    }
}
