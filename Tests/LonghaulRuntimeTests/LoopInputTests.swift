import LonghaulCore
import Testing

@testable import LonghaulRuntime

/// The handling of inputs when the disk is full.
@Suite struct LoopInputTests {
    private func action(_ input: LoopInput) -> String {
        switch input.actionWithoutDisk {
        case .takenAgain: "taken again"
        case .askedAgain: "asked again"
        case .refused: "refused"
        case .kept: "kept"
        case .dropped: "dropped"
        }
    }

    @Test func inputsAreHandledWithoutDisk() {
        #expect(action(.engine(Ticket(1), .bodySent)) == "kept")
        #expect(action(.unwatch(WatchToken(number: 1))) == "kept")
        #expect(action(.command(.submit([])) { _ in }) == "refused")
        #expect(action(.command(.totals) { _ in }) == "asked again")
        #expect(action(.watch(WatchToken(number: 1), .all) { _ in }) == "taken again")
        #expect(action(.damaged(TransferFailure(.storeDamaged, "It is damaged."))) == "dropped")
    }

    @Test func stopRefusesQueriesAlone() {
        let replies = Kept<SessionReply>()
        #expect(LoopInput.command(.list(ListQuery()), reply: { replies.keep($0) }).refuseQuery())
        guard case .failed(let failure)? = replies.all.first else { return #expect(Bool(false)) }
        #expect(failure.code == .serviceUnavailable)
        #expect(!LoopInput.command(.submit([]), reply: { replies.keep($0) }).refuseQuery())
        #expect(!LoopInput.stop.refuseQuery() && replies.all.count == 1)
    }

    @Test func refusedInputGetsReason() {
        let replies = Kept<SessionReply>()
        let failure = TransferFailure(.diskFull, "The disk is full.")
        if case .refused(let refuse) = LoopInput.command(.submit([]), reply: { replies.keep($0) }).actionWithoutDisk {
            refuse(failure)
        }
        guard case .failed(failure)? = replies.all.first else { return #expect(Bool(false), "\(replies.all)") }
    }
}
