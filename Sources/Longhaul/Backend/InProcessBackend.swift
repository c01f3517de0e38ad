import LonghaulRuntime
import LonghaulSystem
import Synchronization

/// A session that this process runs, until this value is released or closed.
final class InProcessBackend: SessionBackend {
    private struct State {
        var isClosed = false
        /// Functions that end the open streams.
        var endings: [ObjectIdentifier: @Sendable () -> Void] = [:]
        /// The attachment that marks the app as present; `nil` while the app is away.
        var presence: WatchToken?
    }

    private let place: SessionLayout
    let runtime: SessionRuntime
    private let report: @Sendable () -> ConditionsReport
    private let stopWatching: @Sendable () -> Void
    private let state = Mutex(State())

    /// Takes the session's lock and resumes its unfinished transfers. `world` replaces this machine.
    static func open(
        _ layout: SessionLayout, helper: [String], in world: InProcessWorld? = nil
    ) async throws(TransferFailure) -> InProcessBackend {
        try await Blocking.run { () throws(TransferFailure) in
            try PrivateDirectory.create(layout.directory, mayTighten: true)
            let world = if let world { world } else { try InProcessWorld.real(layout, helper: helper) }
            do throws(TransferFailure) {
                let runtime = try SessionRuntime.open(layout: layout, environment: world.environment)
                world.opened(runtime)
                return InProcessBackend(
                    layout, runtime, isPresent: world.lanes == nil, report: world.report, stopWatching: world.closed)
            } catch {
                world.closed()
                throw error
            }
        }
    }

    private init(
        _ layout: SessionLayout, _ runtime: SessionRuntime, isPresent: Bool,
        report: @escaping @Sendable () -> ConditionsReport,
        stopWatching: @escaping @Sendable () -> Void
    ) {
        place = layout
        self.runtime = runtime
        self.report = report
        self.stopWatching = stopWatching
        // From the start: an app that opens a session wants to see what happened in it.
        if isPresent { setPresence(true) }
    }

    /// Records whether the app is present and the user sees its display.
    func setPresence(_ isPresent: Bool) {
        state.withLock { state in
            switch (isPresent, state.presence) {
            case (true, nil) where !state.isClosed: state.presence = runtime.attach { _ in }
            case (false, let token?):
                runtime.unwatch(token)
                state.presence = nil
            case (true, _), (false, nil): break
            }
        }
    }

    deinit {
        guard !state.withLock(\.isClosed) else { return }
        NativeThread.detach { [runtime, stopWatching] in
            stopWatching()
            runtime.stop()
        }
    }

    func submit(_ specs: [TransferSpec]) async throws(TransferFailure) -> [SubmissionAnswer] {
        guard case .submitted(let answers) = try await send(.submit(specs)) else { throw .unexpectedAnswer }
        return answers
    }

    func control(
        _ verb: ControlVerb, _ selection: TransferSelection
    ) async throws(TransferFailure) -> ControlAnswer {
        guard case .controlled(let answer) = try await send(.control(verb, selection)) else { throw .unexpectedAnswer }
        return answer
    }

    /// Returns what to do with the active transfers before the app leaves.
    func planHandoff(grace: Duration, hasService: Bool) async -> HandoffPolicy.Plan {
        await withCheckedContinuation { continuation in
            runtime.planHandoff(grace: grace, hasService: hasService) { continuation.resume(returning: $0) }
        }
    }

    /// Starts no new exchanges while the app is about to leave.
    func holdTurns(_ isHeld: Bool) {
        runtime.holdTurns(isHeld)
    }

    /// Starts waiting transfers at once; see `SessionRuntime.grantInOneBatch`.
    func grantInOneBatch(upTo count: Int) {
        runtime.grantInOneBatch(upTo: count)
    }

    /// Moves the exchanges of these transfers to the system.
    func relocate(_ ids: [TransferID]) {
        runtime.relocate(ids)
    }

    /// Returns when no transfer is being stopped any more, or at the given time.
    func waitForStops(until end: ContinuousClock.Instant) async {
        let (settled, feed) = AsyncStream<Never>.makeStream()
        runtime.whenSettled { feed.finish() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in settled {} }
            // The group cancels this sleep if the transfers settle first.
            group.addTask { try? await Task.sleep(until: end, clock: .continuous) }
            await group.next()
            group.cancelAll()
        }
    }

    func conditionsReport() async throws(TransferFailure) -> ConditionsReport {
        if state.withLock(\.isClosed) { throw .sessionClosed }
        return report()
    }

    func watch(_ selection: TransferSelection) async throws(TransferFailure) -> (any SessionFeed<WatchUpdate>)? {
        let channel = WatchChannel()
        guard register(channel) else { return nil }
        return Feed(backend: self, token: runtime.watch(selection) { channel.put($0) }, channel: channel)
    }

    func attend() async throws(TransferFailure) -> (any SessionFeed<Int64>)? {
        let channel = LatestValueChannel<Int64>()
        guard register(channel) else { return nil }
        return Feed(backend: self, token: runtime.attach { channel.put($0) }, channel: channel)
    }

    func runTasks(_ runner: TaskRunner) async throws(TransferFailure) -> (any SessionFeed<TaskAssignments>)? {
        let channel = LatestValueChannel<TaskAssignments>()
        guard register(channel) else { return nil }
        return Feed(backend: self, token: runtime.runTasks(runner) { channel.put($0) }, channel: channel)
    }

    /// Registers a stream to end with the session. Returns `false` if the session is closed.
    func register(_ channel: StreamChannel<some StreamBuffer>) -> Bool {
        state.withLock { state in
            if !state.isClosed { state.endings[ObjectIdentifier(channel)] = { channel.end(.success(nil)) } }
            return !state.isClosed
        }
    }

    func layout() throws(TransferFailure) -> SessionLayout {
        if state.withLock(\.isClosed) { throw .sessionClosed }
        return place
    }

    func close() async {
        let endings = state.withLock { state in
            defer { state = State(isClosed: true) }
            return state.endings.values
        }
        for end in endings { end() }
        await withCheckedContinuation { continuation in
            NativeThread.detach { [runtime, stopWatching] in
                stopWatching()
                runtime.stop()
                continuation.resume()
            }
        }
    }

    /// Removes a stream that has ended. Returns `false` if the session is closed.
    func forget(_ channel: StreamChannel<some StreamBuffer>) -> Bool {
        state.withLock { state in
            state.endings[ObjectIdentifier(channel)] = nil
            return !state.isClosed
        }
    }

    func send(_ command: SessionCommand) async throws(TransferFailure) -> SessionReply {
        if state.withLock(\.isClosed) { throw .sessionClosed }
        let reply = await withCheckedContinuation { continuation in
            runtime.send(command) { continuation.resume(returning: $0) }
        }
        guard case .failed(let failure) = reply else { return reply }
        throw failure.code == .serviceUnavailable ? .sessionClosed : failure
    }

    /// A stream of the runtime.
    private final class Feed<Buffer: StreamBuffer>: SessionFeed {
        private let backend: InProcessBackend
        private let token: WatchToken
        private let channel: StreamChannel<Buffer>

        init(backend: InProcessBackend, token: WatchToken, channel: StreamChannel<Buffer>) {
            self.backend = backend
            self.token = token
            self.channel = channel
        }

        deinit {
            // A closed session continues in another process, and keeps this process's registrations.
            if backend.forget(channel) { backend.runtime.unwatch(token) }
        }

        func next() async throws(TransferFailure) -> Buffer.Element? {
            try await channel.next()
        }
    }
}
