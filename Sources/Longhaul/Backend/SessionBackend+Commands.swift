import LonghaulCore

/// The commands of a session, each with the answer that belongs to it.
extension SessionBackend {
    /// Returns a page, which may have fewer transfers than requested.
    func list(_ query: ListQuery) async throws(TransferFailure) -> ListPage {
        guard case .page(let page) = try await send(.list(query)) else { throw .unexpectedAnswer }
        return page
    }

    func snapshots(matching query: TransferQuery) async throws(TransferFailure) -> [TransferSnapshot] {
        var snapshots: [TransferSnapshot] = []
        var page = query.page
        var hasMore = true
        while hasMore {
            let answer = try await list(page)
            snapshots += answer.transfers.filter(query.matches)
            page.afterSequence = answer.transfers.last?.sequence ?? 0
            hasMore = answer.hasMore && !answer.transfers.isEmpty
        }
        return snapshots
    }

    func show(_ id: TransferID) async throws(TransferFailure) -> TransferDetail {
        guard case .detail(let detail) = try await send(.show(id)) else { throw .unexpectedAnswer }
        return detail
    }

    func history(_ id: TransferID) async throws(TransferFailure) -> [HistoryEntry] {
        guard case .history(let entries) = try await send(.history(id)) else { throw .unexpectedAnswer }
        return entries
    }

    func adjust(
        _ adjustment: TransferAdjustment, _ selection: TransferSelection
    ) async throws(TransferFailure) -> ControlAnswer {
        guard case .controlled(let answer) = try await send(.adjust(adjustment, selection)) else {
            throw .unexpectedAnswer
        }
        return answer
    }

    func replaceURL(of id: TransferID, with url: String, headers: [HeaderField]?) async throws(TransferFailure) {
        guard case .controlled(let answer) = try await send(.replaceURL(id, url: url, headers: headers)) else {
            throw .unexpectedAnswer
        }
        if let refusal = answer.refusals.first { throw refusal.failure }
    }

    func trust(_ key: TrustedKey, for id: TransferID) async throws(TransferFailure) {
        guard case .controlled(let answer) = try await send(.trust(id, key)) else { throw .unexpectedAnswer }
        if let refusal = answer.refusals.first { throw refusal.failure }
    }

    func limits() async throws(TransferFailure) -> SessionLimits {
        guard case .limits(let limits) = try await send(.limits) else { throw .unexpectedAnswer }
        return limits
    }

    func setLimits(_ limits: SessionLimits) async throws(TransferFailure) {
        guard case .limits = try await send(.setLimits(limits)) else { throw .unexpectedAnswer }
    }

    func rules() async throws(TransferFailure) -> SessionRulesReport {
        guard case .rules(let report) = try await send(.rules) else { throw .unexpectedAnswer }
        return report
    }

    func setRules(_ rules: SessionRules) async throws(TransferFailure) {
        guard case .rules = try await send(.setRules(rules)) else { throw .unexpectedAnswer }
    }

    /// Compares records, exchanges, and files, and repairs what it can without the user.
    func reconcile() async throws(TransferFailure) -> ReconcileReport {
        guard case .reconciled(let report) = try await send(.reconcile) else { throw .unexpectedAnswer }
        return report
    }

    /// Returns the process that runs the session, and whether its app was lost.
    func info() async throws(TransferFailure) -> SessionInfo {
        guard case .info(let info) = try await send(.info) else { throw .unexpectedAnswer }
        return info
    }

    func setOwnerLossPolicy(_ policy: OwnerLossPolicy) async throws(TransferFailure) {
        guard case .info = try await send(.setOwnerLossPolicy(policy)) else { throw .unexpectedAnswer }
    }

    func acknowledgeOwnerLoss() async throws(TransferFailure) {
        guard case .info = try await send(.acknowledgeOwnerLoss) else { throw .unexpectedAnswer }
    }

    func provideCredential(
        _ credential: Credential, named name: CredentialName, for url: String
    ) async throws(TransferFailure) {
        guard case .credentials = try await send(.provideCredential(name, url: url, credential)) else {
            throw .unexpectedAnswer
        }
    }

    func setCredentialHelper(_ command: [String]) async throws(TransferFailure) {
        guard case .credentials = try await send(.setCredentialHelper(command)) else { throw .unexpectedAnswer }
    }

    func credentials() async throws(TransferFailure) -> CredentialReport {
        guard case .credentials(let report) = try await send(.credentials) else { throw .unexpectedAnswer }
        return report
    }

    func events(after number: Int64) async throws(TransferFailure) -> EventPage {
        guard case .events(let page) = try await send(.events(after: number)) else { throw .unexpectedAnswer }
        return page
    }

    func acknowledgeEvents(through number: Int64) async throws(TransferFailure) {
        guard case .wake = try await send(.acknowledgeEvents(through: number)) else { throw .unexpectedAnswer }
    }

    func wakeStatus() async throws(TransferFailure) -> WakeStatus {
        guard case .wake(let status) = try await send(.wakeStatus) else { throw .unexpectedAnswer }
        return status
    }

    func setWake(_ registration: WakeRegistration?) async throws(TransferFailure) {
        guard case .wake = try await send(.setWake(registration)) else { throw .unexpectedAnswer }
    }

    func notifications(_ request: NotificationRequest) async throws(TransferFailure) -> NotificationStatus {
        guard case .notifications(let status) = try await send(.notifications(request)) else { throw .unexpectedAnswer }
        return status
    }

    func submitTask(_ request: BackgroundTaskRequest) async throws(TransferFailure) {
        // A message that could not be read would end a connection.
        if let refusal = request.refusal { throw refusal }
        try await done(.submitTask(request))
    }

    func cancelTask(_ identifier: String) async throws(TransferFailure) { try await done(.cancelTask(identifier)) }

    func cancelAllTasks() async throws(TransferFailure) { try await done(.cancelAllTasks) }

    func tasks(after identifier: String?) async throws(TransferFailure) -> TaskPage {
        guard case .tasks(let page) = try await send(.tasks(after: identifier)) else { throw .unexpectedAnswer }
        return page
    }

    func forceTask(_ identifier: String) async throws(TransferFailure) { try await done(.forceTask(identifier)) }

    func taskReturned(_ report: TaskReturn) async throws(TransferFailure) { try await done(.taskReturned(report)) }

    func setTaskSettings(_ settings: BackgroundTaskSettings) async throws(TransferFailure) {
        try await done(.setTaskSettings(settings))
    }

    private func done(_ command: SessionCommand) async throws(TransferFailure) {
        guard case .taskDone = try await send(command) else { throw .unexpectedAnswer }
    }
}
