import LonghaulCore
import LonghaulStore
import TestSupport
import Testing

@testable import LonghaulRuntime

/// A session of the service that notifies the user; its orders are recorded, and answered manually.
@Suite struct NotifyingTests {
    private let time = ManualTime()
    private let temporary: TemporaryDirectory
    private let orders = Kept<NotificationOrder>()
    private let wakes = Kept<WakeOrder>()
    private let app = WatchToken(number: 1)

    init() throws {
        temporary = try TemporaryDirectory()
    }

    private func open(
        as kind: SessionOwner.Kind = .service, survives: (@Sendable (LoopPoint) -> Bool)? = nil
    ) throws -> LoopWorld {
        try LoopWorld(
            in: temporary, at: time, survives: survives, wake: { wakes.keep($0) },
            notify: kind == .service ? { orders.keep($0) } : nil, change: { $0.ownerKind = kind })
    }

    private func set(_ world: LoopWorld, _ change: (inout NotificationSettings) -> Void = { _ in }) {
        var settings = NotificationSettings(appName: "Photos")
        change(&settings)
        guard case .notifications? = world.send(.notifications(.set(settings))) else {
            Issue.record("not set")
            return
        }
    }

    private var posts: [(headline: NotificationHeadline, replaced: UInt32?)] {
        orders.all.compactMap { order in
            if case .post(_, let headline, let replaced) = order.act { (headline, replaced?.number) } else { nil }
        }
    }

    private var kinds: [NotificationKind?] { posts.map(\.headline.kind) }

    private var closes: Int { orders.all.count { if case .close = $0.act { true } else { false } } }

    private func report(_ world: LoopWorld, _ news: NotificationEvent, _ key: NotificationKey = .session) {
        world.turn([.notification(key, news)])
    }

    /// The last notification is shown.
    private func show(_ world: LoopWorld, _ number: UInt32, _ key: NotificationKey = .session) throws {
        report(world, .posted(try #require(posts.last?.headline), number: number, server: "bus"), key)
    }

    private func finish(_ world: LoopWorld, _ status: Int = 200) throws {
        _ = try world.accept(LoopWorld.request())
        try world.answer(.responded(status))
    }

    @Test func notificationsRequireSettings() throws {
        let world = try open()
        try finish(world)
        #expect(orders.all.isEmpty && world.loop.nextAlarm() == nil)
        guard case .failed(let failure)? = world.send(.notifications(.post(PlainNotification("a", title: "b")))) else {
            Issue.record("posted")
            return
        }
        #expect(failure.code == .invalidState && failure.message.contains("no notification settings"))
    }

    @Test func finishesAndFailuresReplaceEachOther() throws {
        let world = try open()
        set(world)
        try finish(world)
        #expect(posts.map(\.headline) == [.init(kind: .finished, count: 1)] && posts[0].replaced == nil)
        try show(world, 5)
        try finish(world)
        #expect(posts.count == 1, "no sooner than a second after the last")
        world.pass(.seconds(1))
        #expect(posts.last?.headline == .init(kind: .finished, count: 2) && posts.last?.replaced == 5)
        try show(world, 5)
        time.advance(by: .seconds(2))
        try finish(world, 404)
        #expect(posts.last?.headline == .init(kind: .failed, count: 1) && posts.last?.replaced == 5)
        #expect(posts.count == 3 && closes == 0)
    }

    @Test func aWrongTextIsRefusedAndNothingIsKept() throws {
        let world = try open()
        var settings = NotificationSettings(appName: "Photos")
        settings.wordings[.finished] = NotificationWording(
            one: NotificationText("{filename}"), several: NotificationText("x"))
        guard case .failed(let failure)? = world.send(.notifications(.set(settings))) else {
            Issue.record("accepted")
            return
        }
        #expect(failure.code == .invalidArgument && failure.message.contains("{filename}"))
        guard case .notifications(let status)? = world.send(.notifications(.status)) else { throw Unexpected() }
        #expect(status.settings == nil)
    }

    @Test func progressMovesOnceASecondWhileItIsShown() throws {
        let world = try open()
        set(world) { $0.kinds = [.progress] }
        _ = try world.accept(LoopWorld.request())
        #expect(kinds == [.progress])
        try show(world, 5)
        world.pass(.seconds(10), steps: 100)
        #expect(posts.count == 1, "nothing has moved")
        #expect(world.loop.nextAlarm().map { $0 - time.now <= .seconds(1) } == true)
        report(world, .seen)
        world.pass(.seconds(10), steps: 10)
        #expect(posts.count == 1, "it was closed")
        try world.answer(.responded(200))
        #expect(closes == 0)
    }

    @Test func notificationsAppearOnlyWhileAppIsDetached() throws {
        let world = try open()
        set(world)
        world.turn([.attach(app, observer: { _ in })])
        try finish(world)
        _ = try world.accept(LoopWorld.request())
        world.turn([.unwatch(app)])
        #expect(orders.all.isEmpty, "it may be back in a moment")
        world.pass(.seconds(1))
        #expect(posts.map(\.headline) == [.init(kind: .handedOver, count: 1)])
        try show(world, 5)
        world.turn([.attach(app, observer: { _ in })])
        #expect(closes == 1)
        report(world, .closed)
        try world.answer(.responded(200))
        #expect(posts.count == 1)
    }

    @Test func takeoverRemovesNotificationsAndAppCrashIsReported() throws {
        do {
            let world = try open()
            set(world)
            try finish(world, 404)
            try show(world, 5)
            world.loop.takeNotificationsAway()
            #expect(closes == 1)
            world.loop.shutDown(Mailbox(), [])
        }
        do {
            let world = try open(as: .app)
            #expect(world.loop.state.session.notifications.board.slots[.session]?.shown == nil)
            time.advance(by: .seconds(5))
            _ = try world.accept(LoopWorld.request())
            // It dies without a message.
        }
        _ = try open()
        #expect(posts.last?.headline == .init(kind: .interrupted, count: 1))
    }

    @Test func anAppThatLeavesASessionItRanIsTalkedAbout() throws {
        do {
            let world = try open(as: .app)
            set(world)
            _ = try world.accept(LoopWorld.request())
            world.loop.shutDown(Mailbox(), [])
        }
        _ = try open()
        #expect(posts.map(\.headline) == [.init(kind: .handedOver, count: 1)])
    }

    @Test func restartedServiceReplacesShownNotification() throws {
        do {
            let world = try open()
            set(world)
            try finish(world)
            try show(world, 5)
        }
        let world = try open()
        #expect(orders.all.last?.act == .watch(ShownNotification(number: 5, server: "bus", at: time.now)))
        #expect(posts.count == 1)
        time.advance(by: .seconds(5))
        try finish(world)
        #expect(posts.count == 2 && posts.last?.replaced == 5)
        #expect(posts.last?.headline == .init(kind: .finished, count: 2))
    }

    @Test func aDeathBeforeItWasWrittenDownShowsItOnceMore() throws {
        do {
            let world = try open()
            set(world)
            try finish(world)
        }
        _ = try open()
        #expect(posts.count == 1, "the app may be about to come back")
        time.advance(by: .seconds(3))
        let world = try open()
        world.pass(.seconds(3))
        #expect(posts.map(\.headline) == Array(repeating: .init(kind: .finished, count: 1), count: 2))
        try show(world, 6)
        world.pass(.seconds(100), steps: 10)
        #expect(posts.count == 2)
    }

    /// Presses a button, and confirms the question that follows.
    private func press(_ world: LoopWorld, _ action: NotificationEvent, thenShown number: UInt32) throws {
        report(world, action)
        world.pass(.seconds(1))
        #expect(posts.last?.headline == .init(kind: nil, count: 1), "the question")
        try show(world, number)
        report(world, action)
    }

    @Test func notificationActionsAreCarriedOut() throws {
        let world = try open()
        set(world) { $0.kinds.insert(.progress) }
        let id = try world.accept(LoopWorld.download())
        try show(world, 5)
        try press(world, .invoked(.pause, activationToken: ""), thenShown: 6)
        #expect(try world.state(id) == .paused)
        report(world, .seen)
        world.pass(.seconds(1))
        #expect(posts.last?.headline == .init(kind: .paused, count: 1))
        try show(world, 7)
        report(world, .invoked(.resume, activationToken: ""))
        #expect(try world.state(id) != .paused)
        report(world, .seen)
        world.pass(.seconds(1))
        #expect(kinds.last == .progress)
        try show(world, 8)
        try press(world, .invoked(.cancel, activationToken: ""), thenShown: 9)
        #expect(try world.state(id) == .cancelled)
    }

    @Test func tryingAgainMeansWhatHasFailed() throws {
        let world = try open()
        set(world)
        let id = try world.accept(LoopWorld.request())
        try world.answer(.responded(404))
        let other = try world.accept(
            LoopWorld.request("http://b.test/") { $0.options.earliestBeginDate = time.now + .seconds(900) })
        try show(world, 5)
        report(world, .invoked(.retry, activationToken: ""))
        #expect(try world.state(id) == .running(.sending) || world.state(id) == .running(.preparing))
        guard case .waiting(let waiting) = try world.state(other) else {
            throw TransferFailure(.internalFault, "moved")
        }
        #expect(waiting.reason == .notBefore)
    }

    @Test func aTapWakesTheAppAtOnceAndIsKeptUntilItIsAcknowledged() throws {
        let world = try open()
        _ = world.send(.setWake(WakeRegistration(.systemdUnit("a.service"), sessionSendsLaunchEvents: false)))
        set(world)
        let id = try world.accept(LoopWorld.request())
        try world.answer(.responded(200))
        try show(world, 5)
        #expect(wakes.all.isEmpty)
        report(world, .invoked(.open, activationToken: "token-7"))
        let request = try #require(wakes.all.last?.request)
        #expect(request.reason == .notificationTapped && request.transfer == id)
        #expect(request.notification == "transfers" && request.activationToken == "token-7")
        #expect(closes == 1, "a server may leave it there")
        guard case .events(let page)? = world.send(.events(after: 0)) else { throw Unexpected() }
        let tap = NotificationTap(
            identifier: "transfers", kind: .finished, transfer: id, activationToken: "token-7")
        #expect(page.events.last?.kind == .notificationTapped(tap))
        // A second tap is a second start, even though the first is not confirmed yet.
        world.turn([.wakeEnded(WakeReport(.started))])
        time.advance(by: .seconds(2))
        _ = world.send(.notifications(.post(PlainNotification("storm", title: "Storm", transfer: id))))
        try show(world, 6, .text("storm"))
        report(world, .invoked(.open, activationToken: ""), .text("storm"))
        #expect(wakes.all.count == 2 && wakes.all.last?.request.notification == "storm")
        guard case .events(let both)? = world.send(.events(after: 0)) else { throw Unexpected() }
        #expect(both.events.count { if case .notificationTapped = $0.kind { true } else { false } } == 2)
    }

    @Test func theAppsOwnWordsWaitForTheirDateAlsoInTheNextProcess() throws {
        let date = time.now + .seconds(3_600)
        do {
            let world = try open()
            set(world)
            _ = world.send(.notifications(.post(PlainNotification("storm", title: "Storm", deliverAt: date))))
            #expect(posts.isEmpty && world.loop.nextAlarm() == date && world.loop.state.activity.hasLiveWork)
        }
        time.advance(by: .seconds(7_200))
        let world = try open()
        #expect(posts.map(\.headline) == [.init(kind: nil, count: 0)])
        try show(world, 9, .text("storm"))
        report(world, .seen, .text("storm"))
        #expect(try world.loop.state.store.notificationSlots().isEmpty)
        #expect(!world.loop.state.activity.hasLiveWork && world.loop.nextAlarm() == nil)
    }

    @Test func withdrawnNotificationIsClosedAfterPosting() throws {
        let world = try open()
        set(world)
        _ = world.send(.notifications(.post(PlainNotification("a", title: "A", deliverAt: time.now + .seconds(9)))))
        _ = world.send(.notifications(.withdraw("a")))
        world.pass(.seconds(20))
        #expect(orders.all.isEmpty)
        _ = world.send(.notifications(.post(PlainNotification("b", title: "B"))))
        _ = world.send(.notifications(.withdraw("b")))
        #expect(closes == 0, "it is on its way")
        try show(world, 4, .text("b"))
        #expect(closes == 1)
        report(world, .closed, .text("b"))
        #expect(try world.loop.state.store.notificationSlots().isEmpty)
    }

    @Test func withoutAServerNothingIsLostAndNothingSpins() throws {
        let world = try open()
        set(world) { $0.kinds.insert(.progress) }
        _ = try world.accept(LoopWorld.request())
        report(world, .held)
        #expect(world.loop.state.session.notifications.nextDate == nil)
        guard case .notifications(let status)? = world.send(.notifications(.status)) else { throw Unexpected() }
        #expect(status.lacksServer && status.shown == 0)
        time.advance(by: .seconds(2))
        try world.answer(.responded(200))
        #expect(kinds == [.progress, .finished])
        report(world, .held)
        #expect(!world.loop.state.activity.hasLiveWork && world.loop.nextAlarm() == nil)
        try show(world, 3)
        #expect(world.loop.state.session.notifications.board.slots[.session]?.shown?.number == 3)
        // The notification server ends, and another starts: notifications that the user has seen are not shown again.
        report(world, .gone)
        world.pass(.seconds(50))
        #expect(posts.count == 2 && world.loop.state.session.notifications.board.slots[.session]?.shown == nil)
    }

    @Test func aFullDiskShowsNothingThatIsNotOnIt() throws {
        let world = try open()
        set(world)
        _ = try world.accept(LoopWorld.request())
        world.loop.state.store.writesLeft = 0
        try world.answer(.responded(200))
        #expect(posts.isEmpty)
        world.loop.state.store.writesLeft = nil
        world.pass(.seconds(2))
        #expect(posts.map(\.headline) == [.init(kind: .finished, count: 1)])
    }

    @Test func aDateThatComesWhileTheDiskIsFullIsNotForgotten() throws {
        let world = try open()
        set(world)
        let date = time.now + .seconds(10)
        _ = world.send(.notifications(.post(PlainNotification("storm", title: "Storm", deliverAt: date))))
        _ = try world.accept(LoopWorld.request())
        world.loop.state.store.writesLeft = 0
        time.advance(by: .seconds(11))
        try world.answer(.responded(200))
        #expect(world.loop.health.refusal != nil && !posts.contains { $0.headline.kind == nil })
        world.loop.state.store.writesLeft = nil
        world.pass(.seconds(3))
        #expect(posts.contains { $0.headline.kind == nil })
    }

    @Test func settingsThatAreTakenBackTakeEverythingAway() throws {
        let world = try open()
        set(world)
        try finish(world)
        try show(world, 5)
        _ = world.send(.notifications(.set(nil)))
        #expect(closes == 1)
        report(world, .closed)
        #expect(try world.loop.state.store.notificationSlots().isEmpty)
        #expect(try world.loop.state.store.notificationSettings() == nil)
    }
}
