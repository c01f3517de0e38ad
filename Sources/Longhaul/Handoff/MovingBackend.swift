import LonghaulClient
import LonghaulIPC

/// A session that this process runs itself while it may, and that the service runs otherwise. Whoever holds it notices
/// nothing of the changes but a moment's wait.
actor MovingBackend: SessionBackend {
    enum Place {
        case here(InProcessBackend)
        case there(ServiceBackend)
        /// Nobody runs it: this process was about to be suspended, and there is no service.
        case nowhere
        case closed
    }

    let arrival: Arrival
    let gate = CallGate()
    private(set) var place: Place
    /// The watches of those who wait for a session that nobody runs.
    private var idle: [WatchChannel] = []
    /// Ends what those who wait for its events, tasks or credentials wait on.
    var idleStreams: [@Sendable () -> Void] = []
    /// Ended to call back who stays for the end of a transfer.
    var interruptions: [AsyncStream<Never>.Continuation] = []

    /// Takes the session's lock, from the service if need be; its unfinished transfers go on.
    static func open(_ arrival: Arrival) async throws(TransferFailure) -> MovingBackend {
        switch try await arrival.get() {
        case .here(let session): return MovingBackend(arrival, .here(session))
        case .there(let reason):
            guard let link = arrival.link else { throw reason }
            return MovingBackend(arrival, .there(try await link.openBackend()))
        }
    }

    private init(_ arrival: Arrival, _ place: Place) {
        self.arrival = arrival
        self.place = place
    }

    var isClosed: Bool { if case .closed = place { true } else { false } }

    /// The session is elsewhere from now on, and whoever watches looks for it.
    func settle(_ next: Place) {
        place = next
        for channel in idle { channel.end(.success(nil)) }
        idle = []
        for end in idleStreams { end() }
        idleStreams = []
    }

    func submit(_ specs: [TransferSpec]) async throws(TransferFailure) -> [SubmissionAnswer] {
        try await ask { backend throws(TransferFailure) in try await backend.submit(specs) }
    }

    func control(
        _ verb: ControlVerb, _ selection: TransferSelection
    ) async throws(TransferFailure) -> ControlAnswer {
        try await ask { backend throws(TransferFailure) in try await backend.control(verb, selection) }
    }

    func list(_ query: ListQuery) async throws(TransferFailure) -> ListPage {
        try await ask { backend throws(TransferFailure) in try await backend.list(query) }
    }

    func show(_ id: TransferID) async throws(TransferFailure) -> TransferDetail {
        try await ask { backend throws(TransferFailure) in try await backend.show(id) }
    }

    func history(_ id: TransferID) async throws(TransferFailure) -> [HistoryEntry] {
        try await ask { backend throws(TransferFailure) in try await backend.history(id) }
    }

    func limits() async throws(TransferFailure) -> SessionLimits {
        try await ask { backend throws(TransferFailure) in try await backend.limits() }
    }

    func setLimits(_ limits: SessionLimits) async throws(TransferFailure) {
        try await ask { backend throws(TransferFailure) in try await backend.setLimits(limits) }
    }

    func rules() async throws(TransferFailure) -> SessionRulesReport {
        try await ask { backend throws(TransferFailure) in try await backend.rules() }
    }

    func setRules(_ rules: SessionRules) async throws(TransferFailure) {
        try await ask { backend throws(TransferFailure) in try await backend.setRules(rules) }
    }

    func adjust(
        _ adjustment: TransferAdjustment, _ selection: TransferSelection
    ) async throws(TransferFailure) -> ControlAnswer {
        try await ask { backend throws(TransferFailure) in try await backend.adjust(adjustment, selection) }
    }

    func conditionsReport() async throws(TransferFailure) -> ConditionsReport {
        try await ask { backend throws(TransferFailure) in try await backend.conditionsReport() }
    }

    func info() async throws(TransferFailure) -> SessionInfo {
        try await ask { backend throws(TransferFailure) in try await backend.info() }
    }

    func reconcile() async throws(TransferFailure) -> ReconcileReport {
        try await ask { backend throws(TransferFailure) in try await backend.reconcile() }
    }

    func setOwnerLossPolicy(_ policy: OwnerLossPolicy) async throws(TransferFailure) {
        try await ask { backend throws(TransferFailure) in try await backend.setOwnerLossPolicy(policy) }
    }

    func acknowledgeOwnerLoss() async throws(TransferFailure) {
        try await ask { backend throws(TransferFailure) in try await backend.acknowledgeOwnerLoss() }
    }

    func stage(_ bytes: [UInt8]) async throws(TransferFailure) -> StagedFile {
        try await ask { backend throws(TransferFailure) in try await backend.stage(bytes) }
    }

    func watch(_ selection: TransferSelection) async throws(TransferFailure) -> (any WatchFeed)? {
        await gate.enterCall()
        defer { gate.leaveCall() }
        switch place {
        case .here(let session as any SessionBackend), .there(let session as any SessionBackend):
            guard let feed = try await session.watch(selection) else { return nil }
            return MovingFeed(backend: self, feed: feed)
        case .nowhere:
            let channel = WatchChannel()
            idle.append(channel)
            return MovingFeed(backend: self, feed: IdleFeed(channel: channel))
        case .closed: return nil
        }
    }

    func close() async {
        await gate.beginMove()
        defer { gate.endMove() }
        let last = place
        settle(.closed)
        for interruption in interruptions { interruption.finish() }
        switch last {
        case .here(let session): await session.close()
        case .there(let session): await session.close()
        case .nowhere, .closed: break
        }
        await arrival.link?.close()
    }

    func ask<Value: Sendable>(
        _ question: @Sendable (any SessionBackend) async throws(TransferFailure) -> Value
    ) async throws(TransferFailure) -> Value {
        while true {
            await gate.enterCall()
            let backend: any SessionBackend
            switch place {
            case .here(let session): backend = session
            case .there(let session): backend = session
            case .nowhere:
                gate.leaveCall()
                try await wake()
                continue
            case .closed:
                gate.leaveCall()
                throw .sessionClosed
            }
            defer { gate.leaveCall() }
            return try await question(backend)
        }
    }

    /// Somebody asks a session that nobody runs: this process is awake, so it runs it again.
    private func wake() async throws(TransferFailure) {
        await gate.beginMove()
        defer { gate.endMove() }
        _ = try await open()
    }

    /// Opens the session again, from `nowhere`; inside a move.
    func open() async throws(TransferFailure) -> HandoffReport {
        guard case .nowhere = place else { return HandoffReport(.unchanged) }
        switch try await arrival.get() {
        case .here(let session):
            settle(.here(session))
            return HandoffReport(.takenOver)
        case .there(let reason):
            guard let link = arrival.link else { throw reason }
            settle(.there(try await link.openBackend()))
            return HandoffReport(.watching(reason))
        }
    }
}

/// A watch that ends with a failure which says "watch again" when the session moves.
private struct MovingFeed: WatchFeed {
    let backend: MovingBackend
    let feed: any WatchFeed

    func next() async throws(TransferFailure) -> WatchUpdate? {
        if let update = try await feed.next() { return update }
        if Task.isCancelled { return nil }
        if await backend.isClosed { return nil }
        throw TransferFailure(.serviceUnavailable, "The session is run by another process now. Watch it again.")
    }
}

/// Tells nothing, for as long as nobody runs the session.
private struct IdleFeed: WatchFeed {
    let channel: WatchChannel

    func next() async throws(TransferFailure) -> WatchUpdate? {
        try await channel.next().get()
    }
}
