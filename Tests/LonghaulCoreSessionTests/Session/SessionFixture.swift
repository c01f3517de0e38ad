import LonghaulCore

/// A session's state machine whose events the test supplies.
struct SessionFixture {
    static let start = WallTime(seconds: 1_000)
    static let app = WatchToken(number: 1)

    var machine: SessionMachine
    var now = Self.start
    /// The background tasks in the store.
    private(set) var tasks: [String: BackgroundTaskRecord] = [:]

    init(_ kind: SessionOwner.Kind = .service) {
        machine = SessionMachine(
            SessionMachine.Host(kind: kind, session: SessionID("photos"), bootID: "boot"), openedAt: Self.start)
        machine.host.startsApps = kind == .service
        machine.notifications.canShow = kind == .service
    }

    @discardableResult
    mutating func feed(_ input: SessionInput) -> [SessionEffect] {
        apply(machine.handle(input, at: now, in: .utc))
    }

    @discardableResult
    mutating func feed(_ name: String, _ event: BackgroundTaskMachine.Event) -> [SessionEffect] {
        feed(.task(name, tasks[name], event))
    }

    /// Handles the due events of a turn.
    @discardableResult
    mutating func advance() -> [SessionEffect] {
        apply(machine.ring(at: now)) + apply(machine.beginTasks(at: now))
    }

    /// Stores the tasks as a store would; returns the other effects.
    private mutating func apply(_ effects: [SessionEffect]) -> [SessionEffect] {
        effects.flatMap { effect -> [SessionEffect] in
            switch effect {
            case .write(.task(let record)): tasks[record.identifier] = record
            case .write(.noTask(let name)): tasks[name] = nil
            case .lookUp(let name, let event?): return feed(name, event)
            case .lookUp(let name, nil): return feed(.taskFound(tasks[name]))
            case .write, .refuse, .control, .countNotified, .feed, .reviewTransfers, .query, .notifyHelper,
                .notifyRunner,
                .reportNewestEvent, .show, .wake, .findLost, .submit, .forgetWitness:
                return [effect]
            }
            return []
        }
    }

    mutating func move(_ number: UInt64, from before: TransferState?, to after: TransferState?) -> [SessionEffect] {
        machine.follow(before.map { Self.record(number, $0) }, after.map { Self.record(number, $0) })
    }

    mutating func endTurn() -> [SessionEffect] {
        machine.endTurn(at: now) { _ in NotificationContent.Progress(millionths: 0) }
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
