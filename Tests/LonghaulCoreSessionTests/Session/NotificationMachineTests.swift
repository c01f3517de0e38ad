import LonghaulCore
import Testing

@Suite struct NotificationMachineTests {
    private var session = SessionFixture()

    init() {
        session.feed(.notificationRequested(.set(NotificationSettings(appName: "Photos"))))
    }

    private mutating func finish(_ number: UInt64) {
        _ = session.move(number, from: nil, to: SessionFixture.turn)
        _ = session.move(number, from: SessionFixture.turn, to: .succeeded)
    }

    private func shown(_ effects: [SessionEffect]) -> [NotificationOrder] {
        effects.compactMap { if case .show(let order) = $0 { order } else { nil } }
    }

    private func posted(_ effects: [SessionEffect]) -> [NotificationHeadline] {
        shown(effects).compactMap { if case .post(_, let headline, _) = $0.act { headline } else { nil } }
    }

    @Test mutating func notificationIsWrittenBeforeShown() throws {
        finish(1)
        let effects = session.endTurn()
        #expect(posted(effects) == [NotificationHeadline(kind: .finished, count: 1)])
        guard case .write(.notificationSlot(.session, _?))? = effects.first else { return #expect(Bool(false)) }
        #expect(session.endTurn().isEmpty, "one that is handed over is not handed over again")
    }

    @Test mutating func missingSettingsDisableNotifications() {
        session.feed(.notificationRequested(.set(nil)))
        finish(1)
        #expect(shown(session.endTurn()).isEmpty)
        guard
            case .refuse(let failure)? =
                session.feed(.notificationRequested(.post(PlainNotification("a", title: "A")))).first
        else { return #expect(Bool(false)) }
        #expect(failure.code == .invalidState)
    }

    @Test mutating func changedSettingsRecountTransfers() {
        var settings = NotificationSettings(appName: "Photos")
        settings.coverage = .chosen
        #expect(
            session.feed(.notificationRequested(.set(settings)))
                == [.write(.notificationSettings(settings)), .countNotified])
        #expect(session.feed(.notificationRequested(.set(settings))).isEmpty)
    }

    @Test mutating func anAppThatLeavesHasASecondToComeBack() {
        session.feed(.attached(SessionFixture.app))
        _ = session.move(1, from: nil, to: .running(.sending))
        session.feed(.detached(SessionFixture.app))
        #expect(posted(session.endTurn()).isEmpty)
        #expect(session.machine.notifications.nextDate == session.now + .seconds(1))
        session.now = session.now + .seconds(1)
        #expect(posted(session.endTurn()).map(\.kind) == [.handedOver])
    }

    @Test mutating func aPersonsWordGoesToTheTransfersOfThatNotification() {
        finish(1)
        _ = session.endTurn()
        let said: [(NotificationAction, ControlVerb)] = [
            (.pause, .pause), (.resume, .resume), (.retry, .retry),
        ]
        for (action, verb) in said {
            let news = NotificationEvent.invoked(action, activationToken: "")
            #expect(session.feed(.notificationChanged(.session, news)) == [.control(verb, .session)])
        }
        #expect(session.feed(.notificationChanged(.group("b"), .invoked(.cancel, activationToken: ""))).isEmpty)
    }

    /// A notification about a running transfer, and then its question after a press of a button.
    private mutating func ask(_ action: NotificationAction, losesBytesWhenPaused: Bool = false) throws -> UInt32 {
        session.feed(.attached(SessionFixture.app))
        _ = session.move(1, from: nil, to: .running(.sending))
        session.feed(.detached(SessionFixture.app))
        session.now = session.now + .seconds(2)
        let progress = NotificationContent.Progress(millionths: 0, losesBytesWhenPaused: losesBytesWhenPaused)
        let effects = session.machine.endTurn(at: session.now) { _ in progress }
        let headline = try #require(posted(effects).first)
        #expect(headline.kind == .handedOver)
        session.feed(.notificationChanged(.session, .posted(headline, number: 3, server: "s")))
        _ = session.endTurn()
        session.now = session.now + .seconds(2)
        #expect(session.feed(.notificationChanged(.session, .invoked(action, activationToken: ""))).isEmpty)
        // Servers close a notification whose button was pressed.
        session.feed(.notificationChanged(.session, .seen))
        let question = try #require(posted(session.endTurn()).first)
        #expect(question == NotificationHeadline(kind: nil, count: 1))
        session.feed(.notificationChanged(.session, .posted(question, number: 4, server: "s")))
        _ = session.endTurn()
        return 4
    }

    @Test(arguments: [(NotificationAction.cancel, ControlVerb.cancel), (.pause, .pause)])
    mutating func actionThatLosesBytesAsksFirst(action: NotificationAction, verb: ControlVerb) throws {
        _ = try ask(action, losesBytesWhenPaused: true)
        let confirmed = NotificationEvent.invoked(action, activationToken: "")
        #expect(session.feed(.notificationChanged(.session, confirmed)) == [.control(verb, .session)])
    }

    @Test mutating func closedQuestionChangesNothing() throws {
        _ = try ask(.cancel)
        session.feed(.notificationChanged(.session, .seen))
        #expect(posted(session.endTurn()).isEmpty)
        let again = NotificationEvent.invoked(.cancel, activationToken: "")
        #expect(session.feed(.notificationChanged(.session, again)).isEmpty, "another press must be confirmed again")
    }

    @Test mutating func questionEndsWithItsTransfers() throws {
        let number = try ask(.cancel)
        _ = session.move(1, from: .running(.sending), to: .cancelled)
        guard case .close(let closed?)? = shown(session.endTurn()).first?.act else { return #expect(Bool(false)) }
        #expect(closed.number == number)
    }

    @Test mutating func aTapIsAnEventAndTakesTheNotificationAway() {
        session.feed(.attached(SessionFixture.app))
        session.feed(.detached(SessionFixture.app))
        session.now = session.now + .seconds(2)
        finish(1)
        _ = session.endTurn()
        let headline = NotificationHeadline(kind: .finished, count: 1)
        session.feed(.notificationChanged(.session, .posted(headline, number: 3, server: "s")))
        _ = session.endTurn()
        let effects = session.feed(.notificationChanged(.session, .invoked(.open, activationToken: "t")))
        guard case .write(.addTap(let tap))? = effects.first else { return #expect(Bool(false)) }
        #expect(tap.activationToken == "t" && tap.kind == .finished)
        guard case .close(let closed?)? = shown(session.endTurn()).first?.act else { return #expect(Bool(false)) }
        #expect(closed.number == 3)
    }

    @Test mutating func aServiceThatTakesOverWatchesWhatIsShownAndAnAppTakesItAway() {
        let service = SessionOwner(kind: .service, processID: 2, bootID: "boot", openedAt: session.now)
        session.feed(.tookOver(service, nil))
        finish(1)
        _ = session.endTurn()
        let headline = NotificationHeadline(kind: .finished, count: 1)
        session.feed(.notificationChanged(.session, .posted(headline, number: 3, server: "s")))
        #expect(session.machine.notifications.ordersOfFarewell.count == 1)
        session.feed(.tookOver(service, nil))
        guard case .watch(let shown)? = shown(session.endTurn()).first?.act else { return #expect(Bool(false)) }
        #expect(shown.number == 3)
    }

    @Test mutating func aTurnThatIsNotCommittedIsUndoneByItsValue() {
        let date = session.now + .seconds(9)
        session.feed(.notificationRequested(.post(PlainNotification("a", title: "A", deliverAt: date))))
        _ = session.endTurn()
        session.now = date
        let before = session.machine
        #expect(posted(session.endTurn()).count == 1)
        session.machine = before
        #expect(posted(session.endTurn()).count == 1, "the rolled-back notification is due again")
    }
}
