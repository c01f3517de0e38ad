import LonghaulCore
import Testing

@Suite struct WakeMachineTests {
    private static let registration = WakeRegistration(
        .systemdUnit("photos.service"), backoff: WakeBackoff(first: .seconds(30), longest: .seconds(100)))

    private var session = SessionFixture()

    init() {
        session.feed(.wakeRegistered(Self.registration))
    }

    private mutating func happens(_ kind: EventRecord.Kind = .allTransfersFinished, tap: NotificationTap? = nil) {
        let event = EventRecord(number: 1, at: session.now, kind: kind, tap: tap)
        session.feed(.eventsWritten(.init(newest: 1, occasion: event)))
    }

    private func orders(_ effects: [SessionEffect]) -> [WakeRequest] {
        effects.compactMap { if case .wake(let order) = $0 { order.request } else { nil } }
    }

    @Test mutating func aStartIsWrittenDownBeforeItIsMade() throws {
        session.now = session.now + .seconds(60)
        happens()
        let effects = session.endTurn()
        guard case .write(.wakeRecord(let record))? = effects.first else { return #expect(Bool(false)) }
        #expect(record.total == 1 && record.lastWakeAt == session.now)
        #expect(orders(effects).map(\.reason) == [.allTransfersFinished])
        #expect(session.machine.waking.isWaking && session.endTurn().isEmpty)
    }

    @Test mutating func attachedAppIsNotWoken() {
        session.feed(.attached(SessionFixture.app))
        happens()
        #expect(session.endTurn().isEmpty && session.machine.nextWake(at: session.now) == nil)
        session.now = session.now + .seconds(5)
        session.feed(.detached(SessionFixture.app))
        #expect(session.machine.nextWake(at: session.now) == session.now + .seconds(30))
    }

    @Test mutating func sessionRunByAppNeverLaunchesIt() {
        session.machine.host.startsApps = false
        session.now = session.now + .seconds(60)
        happens()
        #expect(session.endTurn().isEmpty && session.machine.nextWake(at: session.now) == nil)
        #expect(session.machine.wakeStatus(pendingEvents: 1, at: session.now).hold == .runByApp)
    }

    @Test mutating func notificationTapPrecedesTaskAndTaskPrecedesEvent() {
        session.now = session.now + .seconds(60)
        session.feed("storm", .submitted(.appRefresh("storm")))
        session.advance()
        let before = session
        happens()
        #expect(orders(session.endTurn()).map(\.task) == ["storm"])
        session = before
        happens(
            .notificationTapped, tap: NotificationTap(identifier: "n", kind: nil, transfer: nil, activationToken: ""))
        #expect(orders(session.endTurn()).map(\.notification) == ["n"])
    }

    @Test mutating func manuallyRunTaskIgnoresLaunchBackoff() {
        session.now = session.now + .seconds(60)
        session.feed("storm", .submitted(.appRefresh("storm")))
        session.feed("calm", .submitted(.appRefresh("calm", earliestBeginDate: session.now + .seconds(9_000))))
        session.advance()
        #expect(orders(session.endTurn()).map(\.task) == ["storm"])
        session.feed(.wakeEnded(WakeReport(.started)))
        for name in ["calm", "storm", "storm"] {
            session.now = session.now + .seconds(1)
            session.advance()
            #expect(session.endTurn().isEmpty, "it was started a moment ago")
            session.feed(name, .forced)
            session.advance()
            #expect(orders(session.endTurn()).count == 1, "the forced task \(name) launches the app")
            session.feed(.wakeEnded(WakeReport(.started)))
        }
    }

    @Test mutating func acknowledgmentResetsUnansweredWakes() {
        session.now = session.now + .seconds(60)
        happens()
        _ = session.endTurn()
        session.feed(.wakeEnded(WakeReport(.started)))
        #expect(session.machine.waking.record.unanswered == 1)
        session.feed(.eventsAcknowledged(through: 1))
        session.feed(.eventsWritten(.init(newest: 1)))
        #expect(session.machine.waking.record.unanswered == 0)
    }

    @Test mutating func anAppThatLeavesWithoutAHandlerForItsTaskIsRemarkedOn() throws {
        session.now = session.now + .seconds(60)
        session.feed("storm", .submitted(.appRefresh("storm")))
        session.advance()
        _ = session.endTurn()
        session.feed(.wakeEnded(WakeReport(.started)))
        session.feed(.attached(SessionFixture.app))
        session.advance()
        session.feed(.detached(SessionFixture.app))
        let remark = session.machine.wakeStatus(pendingEvents: 0, at: session.now).record.message
        #expect(remark.contains("without a handler for the task storm"))
        session.now = session.now + .seconds(30)
        session.advance()
        let orders = session.endTurn().compactMap { if case .wake(let order) = $0 { order } else { nil } }
        #expect(orders.map(\.remark) == [remark])
        #expect(session.machine.waking.record.message.isEmpty, "the next launch starts without a remark")
    }

    @Test mutating func anAppThatRunsItsTaskIsNotRemarkedOn() {
        session.now = session.now + .seconds(60)
        session.feed("storm", .submitted(.appRefresh("storm")))
        session.advance()
        _ = session.endTurn()
        session.feed(.wakeEnded(WakeReport(.started)))
        session.feed(.attached(SessionFixture.app))
        session.feed(.runnerAdded(WatchToken(number: 2), TaskRunner(identifiers: ["storm"])))
        session.advance()
        session.feed(.taskReturned(TaskReturn(claim: TaskClaim(identifier: "storm", number: 1), outcome: .succeeded)))
        session.feed(.detached(WatchToken(number: 2)))
        session.feed(.detached(SessionFixture.app))
        #expect(session.machine.waking.record.message.isEmpty)
    }

    @Test mutating func aTurnThatIsNotCommittedIsUndoneByItsValue() {
        session.now = session.now + .seconds(60)
        happens()
        let before = session.machine
        let first = session.endTurn()
        session.machine = before
        #expect(session.endTurn() == first, "the same turn again decides the same")
    }
}
