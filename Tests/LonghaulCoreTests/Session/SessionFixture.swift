import LonghaulCore

/// A session's machine that the test feeds by hand.
struct SessionFixture {
    static let start = WallTime(seconds: 1_000)
    static let app = WatchToken(number: 1)

    var machine: SessionMachine
    var now = Self.start

    init(_ kind: SessionOwner.Kind = .service) {
        machine = SessionMachine(
            SessionMachine.Host(kind: kind, session: SessionID("photos")), openedAt: Self.start)
        machine.host.startsApps = kind == .service
        machine.notifications.canShow = kind == .service
    }

    @discardableResult
    mutating func feed(_ input: SessionInput) -> [SessionEffect] {
        machine.handle(input, at: now)
    }

    mutating func move(_ number: UInt64, from before: TransferState?, to after: TransferState?) -> [SessionEffect] {
        machine.follow(before.map { Self.record(number, $0) }, after.map { Self.record(number, $0) })
    }

    mutating func settle() -> [SessionEffect] {
        machine.settle(at: now) { _ in NotificationContent.Progress(millionths: 0) }
    }

    static func record(_ number: UInt64, _ state: TransferState) -> TransferRecord {
        let spec = TransferSpec(work: .request(body: []), method: "GET", url: "http://a.test/")
        return TransferRecord(id: TransferID(high: 1, low: number), spec: spec, state: state, createdAt: start)
    }

    static func totals(waiting: Int = 0, succeeded: Int = 0) -> SessionTotals {
        var totals = SessionTotals()
        totals.waiting = waiting
        totals.succeeded = succeeded
        return totals
    }

    static let turn = TransferState.waiting(Waiting(.turn, since: start))
}
