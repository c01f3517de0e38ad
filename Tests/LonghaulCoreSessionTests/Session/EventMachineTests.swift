import LonghaulCore
import Testing

@Suite struct EventMachineTests {
    private var session = SessionFixture()
    private let id = TransferID(high: 1, low: 1)

    @Test mutating func eventsAreKeptAfterFirstAttachment() {
        #expect(session.move(1, from: .running(.sending), to: .succeeded).isEmpty)
        #expect(session.feed(.attached(SessionFixture.app)) == [.write(.keepEvents)])
        #expect(session.feed(.attached(WatchToken(number: 2))).isEmpty)
    }

    @Test mutating func anEndIsAnEventAndABeginningIsNone() {
        session.feed(.attached(SessionFixture.app))
        #expect(session.move(1, from: SessionFixture.turn, to: .running(.sending)).isEmpty)
        #expect(!session.machine.events.isTouched)
        #expect(
            session.move(1, from: .running(.sending), to: .succeeded)
                == [.write(.addEvent(.transferFinished, id, wakes: false))])
        #expect(session.machine.events.isTouched)
    }

    @Test mutating func retriedAndRemovedTransfersWithdrawEvents() {
        session.feed(.attached(SessionFixture.app))
        #expect(
            session.move(1, from: .cancelled, to: SessionFixture.turn)
                == [.write(.withdrawEvents(.transferFinished, of: id))])
        #expect(session.move(1, from: .cancelled, to: nil) == [.write(.withdrawAllEvents(of: id))])
    }

    @Test mutating func newTransferWithdrawsTheSingleAllFinishedEvent() {
        session.feed(.attached(SessionFixture.app))
        _ = session.move(1, from: .running(.sending), to: .succeeded)
        #expect(session.feed(.transfersCounted(SessionFixture.totals(waiting: 1, succeeded: 1))).isEmpty)
        _ = session.move(2, from: .running(.sending), to: .succeeded)
        let all = SessionFixture.totals(succeeded: 2)
        #expect(
            session.feed(.transfersCounted(all)) == [.write(.addEvent(.allTransfersFinished, nil, wakes: true))])
        #expect(session.feed(.transfersCounted(all)).isEmpty)
        _ = session.move(3, from: nil, to: SessionFixture.turn)
        #expect(session.machine.events.isTouched)
        #expect(
            session.feed(.transfersCounted(SessionFixture.totals(waiting: 1, succeeded: 2)))
                == [.write(.withdrawEvents(.allTransfersFinished, of: nil))])
    }

    @Test mutating func aWaitForCredentialsIsAnEventUntilItIsOver() {
        session.feed(.attached(SessionFixture.app))
        let failure = TransferFailure(.credentialsRequired, "Log in again.")
        let needy = TransferState.waiting(Waiting(.credentials, since: SessionFixture.start, failure: failure))
        #expect(
            session.move(1, from: .running(.sending), to: needy)
                == [.write(.addEvent(.needsCredentials, id, wakes: true))])
        #expect(
            session.move(1, from: needy, to: SessionFixture.turn)
                == [.write(.withdrawEvents(.needsCredentials, of: id))])
    }

    @Test mutating func onlyNewerEventNumberIsReported() {
        session.feed(.attached(SessionFixture.app))
        #expect(session.feed(.eventsWritten(.init(newest: 4))) == [.reportNewestEvent(4)])
        #expect(session.feed(.eventsWritten(.init(newest: 4))).isEmpty)
        #expect(session.feed(.eventsWritten(.init(newest: 0))).isEmpty, "the last one was acknowledged")
        #expect(session.machine.events.newest == 4)
    }
}
