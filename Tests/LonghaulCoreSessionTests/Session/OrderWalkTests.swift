import LonghaulCore
import Testing

@Suite struct OrderWalkTests {
    private static let ids = (1...5).map { TransferID(high: 0, low: $0) }
    private static let refusal = TransferFailure(.invalidState, "no")

    private static func answer(_ order: TransferOrder, areNamed: Bool) -> ControlAnswer {
        var walk = OrderWalk(order, ids, areNamed: areNamed)
        walk.addRefusal(refusal, of: ids[0])
        walk.registerChange()
        return walk.answer
    }

    @Test func walkTakesTransfersInOrderedPortions() {
        var walk = OrderWalk(.control(.pause), Self.ids, areNamed: true)
        #expect(Array(walk.next(2)) == Array(Self.ids[..<2]) && walk.count == 3)
        #expect(Array(walk.next(9)) == Array(Self.ids[2...]) && walk.count == 0)
        #expect(walk.next(1).isEmpty)
    }

    @Test func controlOfAllReportsNoRefusals() {
        let told = ControlAnswer(changed: 1, refusals: [.init(id: Self.ids[0], failure: Self.refusal)])
        #expect(Self.answer(.control(.pause), areNamed: true) == told)
        #expect(Self.answer(.control(.pause), areNamed: false) == ControlAnswer(changed: 1))
        for areNamed in [true, false] {
            #expect(Self.answer(.adjust(TransferAdjustment(priority: 1)), areNamed: areNamed) == told)
        }
    }

    @Test func onlyWhatCanBeMeantIsLookedAt() {
        for verb in [ControlVerb.pause, .resume, .cancel] {
            #expect(TransferOrder.control(verb).appliesToEnded == false)
        }
        #expect(TransferOrder.control(.remove).appliesToEnded == true)
        #expect(TransferOrder.control(.retry).appliesToEnded == nil)
        #expect(TransferOrder.adjust(TransferAdjustment()).appliesToEnded == false)
    }

    @Test func changeThatRetriesIsARetry() {
        var change = TransferAdjustment()
        change.retries = true
        #expect(TransferOrder.adjust(change).appliesToEnded == nil)
        #expect(Self.answer(.adjust(change), areNamed: false) == ControlAnswer(changed: 1))
        for areNamed in [true, false] {
            var walk = OrderWalk(.adjust(change), Self.ids, areNamed: areNamed)
            #expect(walk.takeStart() == areNamed)
        }
    }
}
