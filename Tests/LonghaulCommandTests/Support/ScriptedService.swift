import LonghaulClient
import LonghaulCore
import LonghaulIPC
import Synchronization

@testable import LonghaulCommand

/// A service that answers from a script and records its requests.
final class ScriptedService: TransferService {
    /// The updates of one call of `watch`, and its end.
    struct Watch: Sendable {
        var updates: [WatchUpdate]
        /// `nil` stays silent after the updates.
        var ending: TransferFailure?
        var afterUpdates: @Sendable () -> Void = {}
    }

    struct State: Sendable {
        var answer: @Sendable (Int, TransferSpec) -> SubmissionAnswer = { index, _ in .accepted(id(UInt64(index + 1))) }
        var watches: [Watch] = []
        var transfers: [TransferSnapshot] = []
        /// The transfers of sessions other than the one of `transfers`.
        var elsewhere: [SessionID: [TransferSnapshot]] = [:]
        var details: [TransferID: TransferDetail] = [:]
        var limits = SessionLimits()
        var wake = WakeStatus()
        var info = SessionInfo()
        var sessions: [SessionSummary] = []
        /// The damage to files for all sessions.
        var trouble: TransferFailure?
        /// Whether the damage is found after the first status.
        var meetsTroubleLater = false
        var notifications = NotificationStatus()
        var history = [
            HistoryEntry(number: 1, at: start, event: "submitted", detail: "first\u{1B}[2J", bytesDone: 0)
        ]
        var tasks: [BackgroundTaskStatus] = []
        var throttle = BackgroundTaskThrottle()
        var forcedTasks: [String] = []
        /// `nil` for all.
        var cancelledTasks: [String?] = []
        var reconciled = ReconcileReport(checked: 0)
        var acknowledged: [SessionID] = []
        var refusals: [ControlAnswer.Refusal] = []
        var conditions = ConditionsReport()
        var traffic = UserTrafficReport()
        var rules = SessionRulesReport()
        var adjustments: [TransferAdjustment] = []
        /// Called after the service answered a list.
        var afterList: @Sendable (inout State) -> Void = { _ in }

        var credentials = CredentialReport()
        var given: [Credential] = []
        var trusted: [(id: TransferID, key: TrustedKey)] = []
        var replaced: [(id: TransferID, url: String, headers: [HeaderField]?)] = []
        var submitted: [TransferSpec] = []
        var batches: [Int] = []
        /// Batches that are refused, by their position.
        var failures: [Int: TransferFailure] = [:]
        var controls: [TransferSelection] = []
        /// How many transfers each call changes.
        var changed = 1
        var watched: [TransferSelection] = []
        var watchDetails: [WatchDetail] = []
        var queries = 0
        /// The number of status requests.
        var statuses = 0
    }

    let state: Mutex<State>

    init(_ prepare: (inout State) -> Void = { _ in }) {
        var initial = State()
        prepare(&initial)
        state = Mutex(initial)
    }

    func send(_ transfers: [TransferSpec], to session: SessionID) -> PendingSubmission {
        let answers = state.withLock { state -> Result<[SubmissionAnswer], TransferFailure> in
            state.batches.append(transfers.count)
            if let failure = state.failures[state.batches.count - 1] { return .failure(failure) }
            return .success(
                transfers.map { spec in
                    state.submitted.append(spec)
                    return state.answer(state.submitted.count - 1, spec)
                })
        }
        return PendingSubmission { () throws(TransferFailure) in try answers.get() }
    }

    func control(
        _ verb: ControlVerb, _ selection: TransferSelection, in session: SessionID
    ) async throws(TransferFailure) -> ControlAnswer {
        state.withLock { state in
            state.controls.append(selection)
            return ControlAnswer(changed: state.changed, refusals: state.refusals)
        }
    }

    func list(_ query: ListQuery, in session: SessionID) async throws(TransferFailure) -> ListPage {
        state.withLock { state in
            state.queries += 1
            let wanted = (state.elsewhere[session] ?? state.transfers).filter { transfer in
                transfer.sequence > query.afterSequence && query.ended.map { $0 == transfer.state.isEnded } ?? true
            }
            var totals = SessionTotals()
            totals.succeeded = state.transfers.count { $0.state == .succeeded }
            totals.cancelled = state.transfers.count { $0.state == .cancelled }
            totals.failed = state.transfers.count(where: \.state.isEnded) - totals.succeeded - totals.cancelled
            let page = Array(wanted.prefix(query.limit))
            let after = state.afterList
            after(&state)
            return ListPage(transfers: page, hasMore: wanted.count > page.count, totals: totals)
        }
    }

    func totals(of session: SessionID) async throws(TransferFailure) -> SessionTotals {
        state.withLock { state in
            state.queries += 1
            var totals = SessionTotals()
            totals.succeeded = state.transfers.count { $0.state == .succeeded }
            return totals
        }
    }

    func show(_ id: TransferID, in session: SessionID) async throws(TransferFailure) -> TransferDetail {
        guard let detail = state.withLock({ $0.details[id] }) else {
            throw TransferFailure(.unknownTransfer, "there is no such transfer")
        }
        return detail
    }

    func history(_ id: TransferID, in session: SessionID) async throws(TransferFailure) -> [HistoryEntry] {
        state.withLock { $0.history }
    }

    func limits(of session: SessionID) async throws(TransferFailure) -> SessionLimits {
        state.withLock { $0.limits }
    }

    func setLimits(_ limits: SessionLimits, of session: SessionID) async throws(TransferFailure) {
        state.withLock { $0.limits = limits }
    }

    func replaceURL(
        of id: TransferID, with url: String, headers: [HeaderField]?, in session: SessionID
    ) async throws(TransferFailure) {
        state.withLock { $0.replaced.append((id, url, headers)) }
    }

    func trust(_ key: TrustedKey, for id: TransferID, in session: SessionID) async throws(TransferFailure) {
        state.withLock { $0.trusted.append((id, key)) }
    }

    func credentials(of session: SessionID) async throws(TransferFailure) -> CredentialReport {
        state.withLock { $0.credentials }
    }

    func setCredentialHelper(
        _ command: [String], of session: SessionID
    ) async throws(TransferFailure) -> CredentialReport {
        state.withLock { state in
            state.credentials.helper = command
            return state.credentials
        }
    }

    func provideCredential(
        _ credential: Credential, named name: CredentialName, for url: String, in session: SessionID
    ) async throws(TransferFailure) {
        state.withLock { $0.given.append(credential) }
    }

    func acknowledgeDamage(of session: SessionID) async throws(TransferFailure) {
        state.withLock { $0.acknowledged.append(session) }
    }

    func reconcile(_ session: SessionID) async throws(TransferFailure) -> ReconcileReport {
        state.withLock { $0.reconciled }
    }

    func watch(
        _ selection: TransferSelection, in session: SessionID, _ detail: WatchDetail
    ) -> AsyncThrowingStream<WatchUpdate, any Error> {
        let watch = state.withLock { state -> Watch? in
            state.watched.append(selection)
            state.watchDetails.append(detail)
            return state.watches.isEmpty ? nil : state.watches.removeFirst()
        }
        return AsyncThrowingStream { continuation in
            guard let watch else { return continuation.finish(throwing: TransferFailure.serviceGone) }
            for update in watch.updates { continuation.yield(update) }
            watch.afterUpdates()
            if let ending = watch.ending { continuation.finish(throwing: ending) }
        }
    }

    func tasks(after identifier: String?, in session: SessionID) async throws(TransferFailure) -> TaskPage {
        state.withLock { state in
            let rest = state.tasks.filter { $0.identifier > identifier ?? "" }
            return TaskPage(tasks: Array(rest.prefix(2)), hasMore: rest.count > 2, throttle: state.throttle)
        }
    }

    func forceTask(_ identifier: String, in session: SessionID) async throws(TransferFailure) {
        state.withLock { $0.forcedTasks.append(identifier) }
    }

    func cancelTask(_ identifier: String, in session: SessionID) async throws(TransferFailure) {
        state.withLock { $0.cancelledTasks.append(identifier) }
    }

    func cancelAllTasks(in session: SessionID) async throws(TransferFailure) {
        state.withLock { $0.cancelledTasks.append(nil) }
    }

    func info(of session: SessionID) async throws(TransferFailure) -> SessionInfo {
        state.withLock { $0.info }
    }

    func wakeStatus(of session: SessionID) async throws(TransferFailure) -> WakeStatus {
        state.withLock { $0.wake }
    }

    func notifications(
        _ request: NotificationRequest, of session: SessionID
    ) async throws(TransferFailure) -> NotificationStatus {
        state.withLock { state in
            if case .set(let settings) = request { state.notifications.settings = settings }
            return state.notifications
        }
    }

    func conditions() async throws(TransferFailure) -> ConditionsReport {
        state.withLock { $0.conditions }
    }

    func setOverride(_ override: ConditionsOverride) async throws(TransferFailure) -> ConditionsReport {
        state.withLock { state in
            state.conditions.override = override
            return state.conditions
        }
    }

    func traffic() async throws(TransferFailure) -> UserTrafficReport {
        state.withLock { $0.traffic }
    }

    func setTraffic(_ limits: TrafficLimits) async throws(TransferFailure) -> UserTrafficReport {
        state.withLock { state in
            state.traffic.limits = limits
            return state.traffic
        }
    }

    func rules(of session: SessionID) async throws(TransferFailure) -> SessionRulesReport {
        state.withLock { $0.rules }
    }

    func setRules(_ rules: SessionRules, of session: SessionID) async throws(TransferFailure) {
        state.withLock { $0.rules.rules = rules }
    }

    func adjust(
        _ adjustment: TransferAdjustment, _ selection: TransferSelection, in session: SessionID
    ) async throws(TransferFailure) -> ControlAnswer {
        state.withLock { state in
            state.adjustments.append(adjustment)
            state.controls.append(selection)
            return ControlAnswer(changed: state.changed, refusals: state.refusals)
        }
    }

    func status() async throws(TransferFailure) -> ServiceStatus {
        let (sessions, trouble) = state.withLock { state in
            state.statuses += 1
            return (state.sessions, state.meetsTroubleLater && state.statuses == 1 ? nil : state.trouble)
        }
        return ServiceStatus(
            version: "0.1.0", processID: 42, startedAt: start, isSocketActivated: false, clients: 1,
            residentBytes: 15 << 20, stateDirectory: "/state", sessions: sessions, libcurl: "8.14.1",
            directPaths: DirectPaths(receives: true, sends: true), hasHTTP3: true, trouble: trouble)
    }

    func stopService() async throws(TransferFailure) {}

    func close() {}
}
