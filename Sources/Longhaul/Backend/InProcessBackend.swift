import LonghaulClient
import LonghaulConditions
import LonghaulCurl
import LonghaulIPC
import LonghaulRuntime
import Synchronization

/// A session that this process runs itself, for as long as this value is there and not closed.
final class InProcessBackend: SessionBackend {
    private struct State {
        var isClosed = false
        var channels: [ObjectIdentifier: WatchChannel] = [:]
        /// Ends each of the other streams.
        var endings: [ObjectIdentifier: @Sendable () -> Void] = [:]
    }

    private let layout: SessionLayout
    let runtime: SessionRuntime
    private let conditions: ConditionsCenter
    private let state = Mutex(State())

    /// Takes the session's lock; its unfinished transfers go on.
    static func open(_ layout: SessionLayout, helper: [String]) async throws(TransferFailure) -> InProcessBackend {
        try await Blocking.run { () throws(TransferFailure) in
            try PrivateDirectory.create(layout.directory, mayTighten: true)
            let conditions = ConditionsCenter(stateDirectory: layout.stateDirectory, watchesSettings: true)
            var environment = RuntimeEnvironment.real { sink throws(TransferFailure) in try CurlEngine(sink: sink) }
            environment.credentialHelper = helper
            environment.userLedger = conditions.ledger
            environment.surroundings = { conditions.surroundings() }
            // The first look comes before the first byte: it may forbid it.
            let link = RuntimeLink()
            conditions.start(
                .init(
                    changed: { link.runtime?.note($0) }, networkReturned: { link.runtime?.noteNetworkReturned() },
                    clockChanged: { link.runtime?.noteClockChanged() },
                    prepareForSleep: { done in
                        guard let runtime = link.runtime else { return done() }
                        runtime.whenSettled(done)
                    }))
            do throws(TransferFailure) {
                let runtime = try SessionRuntime.open(layout: layout, environment: environment)
                link.set(runtime)
                runtime.note(conditions.surroundings())
                return InProcessBackend(layout, runtime, conditions)
            } catch {
                conditions.stop()
                throw error
            }
        }
    }

    private init(_ layout: SessionLayout, _ runtime: SessionRuntime, _ conditions: ConditionsCenter) {
        self.layout = layout
        self.runtime = runtime
        // From the first moment: whoever opens a session wants to be told what has happened in it.
        _ = runtime.attach { _ in }
        self.conditions = conditions
    }

    deinit {
        guard !state.withLock(\.isClosed) else { return }
        NativeThread { [runtime, conditions] in
            conditions.stop()
            runtime.stop()
        }.letGo()
    }

    func submit(_ specs: [TransferSpec]) async throws(TransferFailure) -> [SubmissionAnswer] {
        guard case .submitted(let answers) = try await ask(.submit(specs)) else { throw .unexpectedReply }
        return answers
    }

    func control(
        _ verb: ControlVerb, _ selection: TransferSelection
    ) async throws(TransferFailure) -> ControlAnswer {
        guard case .controlled(let answer) = try await ask(.control(verb, selection)) else { throw .unexpectedReply }
        return answer
    }

    func list(_ query: ListQuery) async throws(TransferFailure) -> ListPage {
        guard case .page(let page) = try await ask(.list(query)) else { throw .unexpectedReply }
        return page
    }

    func show(_ id: TransferID) async throws(TransferFailure) -> TransferDetail {
        guard case .detail(let detail) = try await ask(.show(id)) else { throw .unexpectedReply }
        return detail
    }

    func history(_ id: TransferID) async throws(TransferFailure) -> [HistoryEntry] {
        guard case .history(let entries) = try await ask(.history(id)) else { throw .unexpectedReply }
        return entries
    }

    func limits() async throws(TransferFailure) -> SessionLimits {
        guard case .limits(let limits) = try await ask(.limits) else { throw .unexpectedReply }
        return limits
    }

    func setLimits(_ limits: SessionLimits) async throws(TransferFailure) {
        guard case .limits = try await ask(.setLimits(limits)) else { throw .unexpectedReply }
    }

    func info() async throws(TransferFailure) -> SessionInfo {
        guard case .info(let info) = try await ask(.info) else { throw .unexpectedReply }
        return info
    }

    func reconcile() async throws(TransferFailure) -> ReconcileReport {
        guard case .reconciled(let report) = try await ask(.reconcile) else { throw .unexpectedReply }
        return report
    }

    func setOwnerLossPolicy(_ policy: OwnerLossPolicy) async throws(TransferFailure) {
        guard case .info = try await ask(.setOwnerLossPolicy(policy)) else { throw .unexpectedReply }
    }

    func acknowledgeOwnerLoss() async throws(TransferFailure) {
        guard case .info = try await ask(.acknowledgeOwnerLoss) else { throw .unexpectedReply }
    }

    /// What to do with what is under way, now that the app is about to leave.
    func planHandoff(grace: Span, hasService: Bool) async -> HandoffPolicy.Plan {
        await withCheckedContinuation { continuation in
            runtime.planHandoff(grace: grace, hasService: hasService) { continuation.resume(returning: $0) }
        }
    }

    /// Begins nothing new while the app is about to leave.
    func holdTurns(_ isHeld: Bool) {
        runtime.holdTurns(isHeld)
    }

    func rules() async throws(TransferFailure) -> SessionRulesReport {
        guard case .rules(let report) = try await ask(.rules) else { throw .unexpectedReply }
        return report
    }

    func setRules(_ rules: SessionRules) async throws(TransferFailure) {
        guard case .rules = try await ask(.setRules(rules)) else { throw .unexpectedReply }
    }

    func adjust(
        _ adjustment: TransferAdjustment, _ selection: TransferSelection
    ) async throws(TransferFailure) -> ControlAnswer {
        guard case .controlled(let answer) = try await ask(.adjust(adjustment, selection)) else {
            throw .unexpectedReply
        }
        return answer
    }

    func conditionsReport() async throws(TransferFailure) -> ConditionsReport {
        if state.withLock(\.isClosed) { throw .sessionClosed }
        return conditions.report()
    }

    func watch(_ selection: TransferSelection) async throws(TransferFailure) -> (any WatchFeed)? {
        let channel = WatchChannel()
        let isClosed = state.withLock { state in
            if !state.isClosed { state.channels[ObjectIdentifier(channel)] = channel }
            return state.isClosed
        }
        if isClosed { return nil }
        let token = runtime.watch(selection) { channel.merge($0) }
        return Watch(backend: self, token: token, channel: channel)
    }

    func events(after number: Int64) async throws(TransferFailure) -> EventPage {
        guard case .events(let page) = try await ask(.events(after: number)) else { throw .unexpectedReply }
        return page
    }

    func acknowledgeEvents(through number: Int64) async throws(TransferFailure) {
        guard case .wake = try await ask(.acknowledgeEvents(through: number)) else { throw .unexpectedReply }
    }

    func wakeStatus() async throws(TransferFailure) -> WakeStatus {
        guard case .wake(let status) = try await ask(.wakeStatus) else { throw .unexpectedReply }
        return status
    }

    func setWake(_ registration: WakeRegistration?) async throws(TransferFailure) {
        guard case .wake = try await ask(.setWake(registration)) else { throw .unexpectedReply }
    }

    func notifications(_ request: NotificationRequest) async throws(TransferFailure) -> NotificationStatus {
        guard case .notifications(let status) = try await ask(.notifications(request)) else { throw .unexpectedReply }
        return status
    }

    func attend() async throws(TransferFailure) -> (any NewsFeed)? {
        let channel = NewsChannel<Int64>()
        guard note(channel) else { return nil }
        return Stream(backend: self, token: runtime.attach { channel.tell($0) }, channel: channel)
    }

    func runTasks(_ runner: TaskRunner) async throws(TransferFailure) -> (any TaskFeed)? {
        let channel = NewsChannel<TaskAssignments>()
        guard note(channel) else { return nil }
        return Stream(backend: self, token: runtime.runTasks(runner) { channel.tell($0) }, channel: channel)
    }

    func submitTask(_ request: BackgroundTaskRequest) async throws(TransferFailure) {
        try await done(.submitTask(request))
    }

    func cancelTask(_ identifier: String) async throws(TransferFailure) { try await done(.cancelTask(identifier)) }

    func cancelAllTasks() async throws(TransferFailure) { try await done(.cancelAllTasks) }

    func tasks(after identifier: String?) async throws(TransferFailure) -> TaskPage {
        guard case .tasks(let page) = try await ask(.tasks(after: identifier)) else { throw .unexpectedReply }
        return page
    }

    func forceTask(_ identifier: String) async throws(TransferFailure) { try await done(.forceTask(identifier)) }

    func taskReturned(_ report: TaskReturn) async throws(TransferFailure) { try await done(.taskReturned(report)) }

    func setTaskSettings(_ settings: BackgroundTaskSettings) async throws(TransferFailure) {
        try await done(.setTaskSettings(settings))
    }

    private func done(_ command: SessionCommand) async throws(TransferFailure) {
        guard case .taskDone = try await ask(command) else { throw .unexpectedReply }
    }

    /// Remembers a stream, to end it with the session; `false` when that is closed.
    private func note(_ channel: NewsChannel<some Sendable>) -> Bool {
        state.withLock { state in
            if !state.isClosed { state.endings[ObjectIdentifier(channel)] = { channel.end(.success(nil)) } }
            return !state.isClosed
        }
    }

    func stage(_ bytes: [UInt8]) async throws(TransferFailure) -> StagedFile {
        if state.withLock(\.isClosed) { throw .sessionClosed }
        return try await Blocking.run { [layout] () throws(TransferFailure) in
            try StagedBody.stage(bytes, in: layout)
        }
    }

    func close() async {
        let (channels, endings) = state.withLock { state in
            defer { state = State(isClosed: true) }
            return (state.channels.values, state.endings.values)
        }
        for channel in channels { channel.end(.success(nil)) }
        for end in endings { end() }
        await withCheckedContinuation { continuation in
            NativeThread { [runtime, conditions] in
                conditions.stop()
                runtime.stop()
                continuation.resume()
            }.letGo()
        }
    }

    /// Ends it with the session; whether that is still open.
    func addFeed(_ channel: CredentialChannel) -> Bool {
        state.withLock { state in
            if !state.isClosed { state.endings[ObjectIdentifier(channel)] = { channel.end(.success(nil)) } }
            return !state.isClosed
        }
    }

    func removeFeed(_ channel: CredentialChannel) {
        state.withLock { $0.endings[ObjectIdentifier(channel)] = nil }
    }

    func ask(_ command: SessionCommand) async throws(TransferFailure) -> SessionReply {
        if state.withLock(\.isClosed) { throw .sessionClosed }
        let reply = await withCheckedContinuation { continuation in
            runtime.send(command) { continuation.resume(returning: $0) }
        }
        guard case .failed(let failure) = reply else { return reply }
        throw failure.code == .serviceUnavailable ? .sessionClosed : failure
    }

    private final class Watch: WatchFeed {
        private let backend: InProcessBackend
        private let token: WatchToken
        private let channel: WatchChannel

        init(backend: InProcessBackend, token: WatchToken, channel: WatchChannel) {
            self.backend = backend
            self.token = token
            self.channel = channel
        }

        deinit {
            backend.runtime.unwatch(token)
            backend.state.withLock { $0.channels[ObjectIdentifier(channel)] = nil }
        }

        func next() async throws(TransferFailure) -> WatchUpdate? {
            try await channel.next().get()
        }
    }

    /// One stream of which only the latest value counts.
    fileprivate final class Stream<News: Sendable>: Sendable {
        private let backend: InProcessBackend
        private let token: WatchToken
        private let channel: NewsChannel<News>

        init(backend: InProcessBackend, token: WatchToken, channel: NewsChannel<News>) {
            self.backend = backend
            self.token = token
            self.channel = channel
        }

        deinit {
            let isClosed = backend.state.withLock { state in
                state.endings[ObjectIdentifier(channel)] = nil
                return state.isClosed
            }
            // A session that is closed goes on elsewhere, and what is this process's with it.
            if !isClosed { backend.runtime.unwatch(token) }
        }

        func next() async throws(TransferFailure) -> News? {
            try await channel.next().get()
        }
    }
}

extension InProcessBackend.Stream: NewsFeed where News == Int64 {}
extension InProcessBackend.Stream: TaskFeed where News == TaskAssignments {}

extension TransferFailure {
    static let unexpectedReply = TransferFailure(
        .internalFault, "The session gave an answer that does not belong to the question.")
}
