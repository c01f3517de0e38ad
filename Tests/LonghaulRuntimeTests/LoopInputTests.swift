import LonghaulCore
import Testing

@testable import LonghaulRuntime

/// The handling of inputs when the disk is full.
@Suite struct LoopInputTests {
    private func fate(_ input: LoopInput) -> String {
        switch input.fateWithoutDisk {
        case .takenAgain: "taken again"
        case .askedAgain: "asked again"
        case .refused: "refused"
        case .kept: "kept"
        case .dropped: "dropped"
        }
    }

    @Test func inputsAreHandledWithoutDisk() {
        #expect(fate(.engine(Ticket(1), .bodySent)) == "kept")
        #expect(fate(.unwatch(WatchToken(number: 1))) == "kept")
        #expect(fate(.command(.submit([])) { _ in }) == "refused")
        #expect(fate(.command(.totals) { _ in }) == "asked again")
        #expect(fate(.watch(WatchToken(number: 1), .all) { _ in }) == "taken again")
        #expect(fate(.damaged(TransferFailure(.storeDamaged, "It is damaged."))) == "dropped")
    }

    @Test func refusedInputGetsReason() {
        let replies = Kept<SessionReply>()
        let failure = TransferFailure(.diskFull, "The disk is full.")
        if case .refused(let refuse) = LoopInput.command(.submit([]), reply: { replies.keep($0) }).fateWithoutDisk {
            refuse(failure)
        }
        guard case .failed(failure)? = replies.all.first else { return #expect(Bool(false), "\(replies.all)") }
    }
}
