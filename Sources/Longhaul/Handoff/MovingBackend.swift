import LonghaulCore
import LonghaulSystem

/// A session that this process runs while it may, and that the service runs otherwise. Callers notice a change of owner
/// only as a short delay.
actor MovingBackend: SessionBackend {
    enum Place {
        case here(InProcessBackend)
        case there(any SessionBackend)
        /// No process runs the session: this process was about to be suspended, and there is no service.
        case nowhere
        case closed
    }

    let arrival: Arrival
    let callLock = CallLock()
    private(set) var place: Place
    /// The number of times that the session changed its owner.
    private var moves = 0
    /// Ends the streams that wait while no process runs the session.
    private var idle: [@Sendable () -> Void] = []
    let gracePeriods = GracePeriods()

    /// Takes the session's lock, if necessary from the service, and resumes the unfinished transfers.
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

    /// The session, if this process runs it.
    var present: InProcessBackend? { if case .here(let session) = place { session } else { nil } }

    var isClosed: Bool { if case .closed = place { true } else { false } }

    /// Records the session's new owner, and ends idle streams so that their watchers look it up again.
    func move(_ next: Place) {
        place = next
        moves += 1
        for end in idle { end() }
        idle = []
    }

    func send(_ command: SessionCommand) async throws(TransferFailure) -> SessionReply {
        try await query { backend throws(TransferFailure) in try await backend.send(command) }
    }

    func submit(_ specs: [TransferSpec]) async throws(TransferFailure) -> [SubmissionAnswer] {
        try await query { backend throws(TransferFailure) in try await backend.submit(specs) }
    }

    func control(
        _ verb: ControlVerb, _ selection: TransferSelection
    ) async throws(TransferFailure) -> ControlAnswer {
        try await query { backend throws(TransferFailure) in try await backend.control(verb, selection) }
    }

    func conditionsReport() async throws(TransferFailure) -> ConditionsReport {
        try await query { backend throws(TransferFailure) in try await backend.conditionsReport() }
    }

    func layout() async throws(TransferFailure) -> SessionLayout {
        try await query { backend throws(TransferFailure) in try await backend.layout() }
    }

    func close() async {
        await callLock.beginMove()
        defer { callLock.endMove() }
        let last = place
        move(.closed)
        gracePeriods.interrupt()
        switch last {
        case .here(let session): await session.close()
        case .there(let session): await session.close()
        case .nowhere, .closed: break
        }
        await arrival.link?.close()
    }

    private func query<Value: Sendable>(
        _ question: @Sendable (any SessionBackend) async throws(TransferFailure) -> Value
    ) async throws(TransferFailure) -> Value {
        while true {
            await callLock.enterCall()
            let backend: any SessionBackend
            switch place {
            case .here(let session): backend = session
            case .there(let session): backend = session
            case .nowhere:
                callLock.exitCall()
                try await wake()
                continue
            case .closed:
                callLock.exitCall()
                throw .sessionClosed
            }
            defer { callLock.exitCall() }
            return try await question(backend)
        }
    }

    /// Starts a stream from the session's owner; `idle` makes the stream if there is no owner. Also returns the number
    /// of moves before the stream.
    func begin<Feed>(
        _ begin: (any SessionBackend) async throws(TransferFailure) -> Feed?, idle: () -> Feed
    ) async throws(TransferFailure) -> (feed: Feed, moves: Int)? {
        await callLock.enterCall()
        defer { callLock.exitCall() }
        switch place {
        case .here(let session): return try await begin(session).map { ($0, moves) }
        case .there(let session): return try await begin(session).map { ($0, moves) }
        case .nowhere: return (idle(), moves)
        case .closed: return nil
        }
    }

    /// Returns whether the session has changed its owner since the given number of moves. Waits for a move in progress.
    func hasMoved(since earlier: Int) async -> Bool {
        await callLock.enterCall()
        defer { callLock.exitCall() }
        return moves != earlier
    }

    /// Returns a channel without updates, which ends when a process runs the session.
    func idleChannel<Buffer>(_ kind: StreamChannel<Buffer>.Type) -> StreamChannel<Buffer> {
        let channel = StreamChannel<Buffer>()
        idle.append { channel.end(.success(nil)) }
        return channel
    }

    /// Runs the session again for a call: a process that makes calls is not suspended.
    private func wake() async throws(TransferFailure) {
        await callLock.beginMove()
        defer { callLock.endMove() }
        _ = try await open()
    }

    /// Opens the session again from `nowhere`, inside a move.
    func open() async throws(TransferFailure) -> HandoffReport {
        guard case .nowhere = place else { return HandoffReport(.unchanged) }
        switch try await arrival.get() {
        case .here(let session):
            move(.here(session))
            return HandoffReport(.takenOver)
        case .there(let reason):
            guard let link = arrival.link else { throw reason }
            move(.there(try await link.openBackend()))
            return HandoffReport(.watching(reason))
        }
    }
}
