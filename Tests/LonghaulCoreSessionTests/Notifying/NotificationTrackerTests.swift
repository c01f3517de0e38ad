import LonghaulCore
import Testing

@Suite struct NotificationTrackerTests {
    private static let start = WallTime(seconds: 1_000)
    private static let kinds: Set<NotificationKind> = [.handedOver, .finished, .failed, .interrupted, .needsYou]

    private var board = NotificationTracker()

    init() {
        set { _ in }
    }

    private mutating func set(_ change: (inout NotificationSettings) -> Void) {
        var settings = NotificationSettings(appName: "Photos", kinds: Self.kinds)
        change(&settings)
        _ = board.set(settings)
    }

    private func record(
        _ number: UInt64, _ state: TransferState, group: String = "", _ wish: NotificationPreference = .bySession
    ) -> TransferRecord {
        var spec = TransferSpec(
            work: .download(DownloadSpec(directory: "/out", fileName: "film\(number).mp4")), method: "GET",
            url: "https://me:secret@files.example/film.mp4?token=secret")
        spec.options.group = group
        spec.options.notifications = wish
        return TransferRecord(
            id: TransferID(high: 1, low: number), spec: spec, state: state, createdAt: Self.start)
    }

    private mutating func move(
        _ number: UInt64, _ states: TransferState?..., group: String = "", wish: NotificationPreference = .bySession
    ) {
        for (before, after) in zip(states, states.dropFirst()) {
            board.update(
                before.map { record(number, $0, group: group, wish) },
                after.map { record(number, $0, group: group, wish) })
        }
    }

    private func said(_ key: NotificationKey = .session) -> NotificationHeadline? {
        board.slots[key].flatMap { NotificationPolicy.headline($0.tally, board.settings?.kinds ?? []) }
    }

    private mutating func post(_ key: NotificationKey = .session) throws {
        let headline = try #require(said(key))
        board.recordPosted(key, headline, ShownNotification(number: 7, server: "s", at: Self.start))
    }

    private let turn = TransferState.waiting(Waiting(.turn, since: start))
    private let needy = TransferState.waiting(
        Waiting(.credentials, since: start, failure: TransferFailure(.credentialsRequired, "Log in again.")))
    private let broken = TransferState.failed(TransferFailure(.notFound, "The file does not exist."))

    @Test mutating func regroupedTransferCountsInNewGroup() throws {
        set { $0.grouping = .group }
        move(1, nil, turn, .running(.receiving), group: "a")
        move(2, nil, turn, .running(.receiving), .succeeded, group: "a")
        #expect(said(.group("a")) == nil)
        let (before, after) = (
            record(1, .running(.receiving), group: "a"), record(1, .running(.receiving), group: "b")
        )
        board.update(before, after)
        #expect(said(.group("a"))?.kind == .finished, "nothing of it is under way any more")
        #expect(board.slots[.group("b")]?.tally.underWay == 1)
        move(1, .running(.receiving), .succeeded, group: "b")
        #expect(said(.group("b"))?.kind == .finished)
    }

    @Test mutating func finishesAreShownWhenNoTransferIsActive() {
        move(1, nil, turn, .running(.receiving), .succeeded)
        move(2, nil, turn, .running(.receiving))
        #expect(said() == nil)
        move(2, .running(.receiving), .succeeded)
        #expect(said() == .init(kind: .finished, count: 2))
        #expect(board.slots[.session]?.tally.subjects.finished?.name == "film2.mp4")
        #expect(board.slots[.session]?.tally.subjects.finished?.host == "files.example")
    }

    @Test mutating func aSecretIsInNoText() {
        move(1, nil, turn, .running(.receiving), broken)
        #expect(!String(describing: board.slots).contains("token"))
        #expect(!String(describing: board.slots).contains("secret"))
    }

    @Test mutating func retriedAndRemovedFailuresAreNotCounted() {
        move(1, nil, turn, .running(.receiving), broken)
        move(2, nil, turn, .running(.receiving), broken)
        #expect(said() == .init(kind: .failed, count: 2))
        move(1, broken, turn)
        #expect(said() == .init(kind: .failed, count: 1))
        move(2, broken, nil)
        #expect(said() == nil)
    }

    @Test mutating func seenNotificationIsNotRepeated() throws {
        move(1, nil, turn, .running(.receiving), broken)
        try post()
        board.recordSeen(.session)
        #expect(said() == nil && board.slots[.session]?.shown == nil)
        move(2, nil, turn, .running(.receiving), broken)
        #expect(said() == .init(kind: .failed, count: 1))
        #expect(board.slots[.session]?.posted == nil, "the same words are new")
    }

    @Test mutating func aNeedThatWasClosedComesBackOnlyWithMore() throws {
        move(1, nil, turn, .running(.receiving), needy)
        try post()
        #expect(said() == .init(kind: .needsYou, count: 1))
        board.recordSeen(.session)
        #expect(said() == nil)
        move(2, nil, turn, .running(.receiving), needy)
        #expect(said() == .init(kind: .needsYou, count: 2))
        move(1, needy, turn)
        move(2, needy, turn)
        #expect(board.slots[.session]?.tally.needing == 0)
    }

    @Test mutating func openAppSuppressesNotifications() {
        board.appArrived()
        move(1, nil, turn, .running(.receiving), .succeeded)
        move(2, nil, turn, .running(.receiving))
        #expect(board.isHidden)
        board.appLeft()
        #expect(!board.isHidden && said() == .init(kind: .handedOver, count: 1))
        move(2, .running(.receiving), .succeeded)
        #expect(said() == .init(kind: .finished, count: 1), "only what it did not see")
        board.appArrived()
        board.appLeft()
        #expect(said() == nil)
    }

    @Test mutating func openAppGetsNotificationsIfEnabled() {
        set { $0.showsWhileAppIsOpen = true }
        board.appArrived()
        move(1, nil, turn, .running(.receiving), .succeeded)
        #expect(!board.isHidden && said() == .init(kind: .finished, count: 1))
    }

    @Test mutating func lostAppIsShownAsInterrupted() {
        move(1, nil, turn, .running(.sending))
        move(2, nil, turn)
        board.appWasLost()
        #expect(said() == .init(kind: .interrupted, count: 2))
    }

    @Test mutating func groupsAreKeptApart() {
        set { $0.grouping = .group }
        move(1, nil, turn, .running(.receiving), .succeeded, group: "a")
        move(2, nil, turn, .running(.receiving), broken, group: "b")
        move(3, nil, turn, .running(.receiving), .succeeded)
        #expect(said(.group("a")) == .init(kind: .finished, count: 1))
        #expect(said(.group("b")) == .init(kind: .failed, count: 1))
        #expect(said(.session) == .init(kind: .finished, count: 1))
    }

    @Test mutating func onlyWhatIsCoveredCounts() {
        move(1, nil, turn, .running(.receiving), .succeeded, wish: .never)
        #expect(board.slots[.session] == nil)
        set { $0.coverage = .chosen }
        move(2, nil, turn, .running(.receiving), .succeeded)
        #expect(said() == nil)
        move(3, nil, turn, .running(.receiving), .succeeded, wish: .always)
        #expect(said() == .init(kind: .finished, count: 1))
    }

    @Test mutating func theAppsOwnWordsReplaceThoseOfTheSameName() throws {
        board.post(PlainNotification("storm", title: "Storm"))
        board.recordPosted(
            .text("storm"), .init(kind: nil, count: 0), ShownNotification(number: 1, server: "s", at: Self.start))
        #expect(board.slots[.text("storm")]?.posted != nil)
        board.post(PlainNotification("storm", title: "Hail"))
        #expect(board.slots[.text("storm")]?.posted == nil && board.slots[.text("storm")]?.shown?.number == 1)
        board.recordSeen(.text("storm"))
        board.recordWritten()
        #expect(board.slots.isEmpty && board.touched.isEmpty)
    }

    @Test mutating func onlyChangedGroupingRestartsCounts() throws {
        move(1, nil, turn, .running(.receiving))
        var settings = try #require(board.settings)
        settings.kinds.insert(.progress)
        let counts = board.set(settings)
        #expect(!counts)
        #expect(said() == .init(kind: .progress, count: 1))
        settings.grouping = .group
        let countsAnew = board.set(settings)
        #expect(countsAnew)
        #expect(said() == nil)
        board.count(record(1, .running(.receiving), group: "a"))
        #expect(said(.group("a")) == .init(kind: .progress, count: 1))
        let countsNothing = board.set(nil)
        #expect(!countsNothing)
        #expect(board.settings == nil && said(.group("a")) == nil)
    }

    @Test func namesInTheStoreComeBack() {
        for key in [NotificationKey.session, .group(""), .group("s"), .text("s"), .text("t/ü")] {
            #expect(NotificationKey(name: key.name) == key)
        }
        #expect(
            NotificationKey(name: "x") == nil && NotificationKey(name: "") == nil && NotificationKey(name: "sx") == nil)
    }
}
