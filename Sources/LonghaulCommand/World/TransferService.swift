package import LonghaulClient
package import LonghaulCore
package import LonghaulIPC

/// The operations of the service that the command uses. The connection to `longhauld` is one conformer, and the
/// scripted service of the tests is the other.
package protocol TransferService: Sendable {
    /// Sends transfers without waiting for their answers. Transfers are submitted in the order in which they are sent.
    func send(_ transfers: [TransferSpec], to session: SessionID) -> PendingSubmission
    func control(
        _ verb: ControlVerb, _ selection: TransferSelection, in session: SessionID
    ) async throws(TransferFailure) -> ControlAnswer
    func list(_ query: ListQuery, in session: SessionID) async throws(TransferFailure) -> ListPage
    func totals(of session: SessionID) async throws(TransferFailure) -> SessionTotals
    func show(_ id: TransferID, in session: SessionID) async throws(TransferFailure) -> TransferDetail
    func history(_ id: TransferID, in session: SessionID) async throws(TransferFailure) -> [HistoryEntry]
    func limits(of session: SessionID) async throws(TransferFailure) -> SessionLimits
    func setLimits(_ limits: SessionLimits, of session: SessionID) async throws(TransferFailure)
    func replaceURL(
        of id: TransferID, with url: String, headers: [HeaderField]?, in session: SessionID
    ) async throws(TransferFailure)
    func trust(_ key: TrustedKey, for id: TransferID, in session: SessionID) async throws(TransferFailure)
    func credentials(of session: SessionID) async throws(TransferFailure) -> CredentialReport
    func setCredentialHelper(
        _ command: [String], of session: SessionID
    ) async throws(TransferFailure) -> CredentialReport
    func provideCredential(
        _ credential: Credential, named name: CredentialName, for url: String, in session: SessionID
    ) async throws(TransferFailure)
    func reconcile(_ session: SessionID) async throws(TransferFailure) -> ReconcileReport
    func acknowledgeDamage(of session: SessionID) async throws(TransferFailure)
    func watch(
        _ selection: TransferSelection, in session: SessionID, _ detail: WatchDetail
    ) -> AsyncThrowingStream<WatchUpdate, any Error>
    func info(of session: SessionID) async throws(TransferFailure) -> SessionInfo
    func wakeStatus(of session: SessionID) async throws(TransferFailure) -> WakeStatus
    func conditions() async throws(TransferFailure) -> ConditionsReport
    func setOverride(_ override: ConditionsOverride) async throws(TransferFailure) -> ConditionsReport
    func traffic() async throws(TransferFailure) -> UserTrafficReport
    func setTraffic(_ limits: TrafficLimits) async throws(TransferFailure) -> UserTrafficReport
    func rules(of session: SessionID) async throws(TransferFailure) -> SessionRulesReport
    func setRules(_ rules: SessionRules, of session: SessionID) async throws(TransferFailure)
    func adjust(
        _ adjustment: TransferAdjustment, _ selection: TransferSelection, in session: SessionID
    ) async throws(TransferFailure) -> ControlAnswer
    func notifications(
        _ request: NotificationRequest, of session: SessionID
    ) async throws(TransferFailure) -> NotificationStatus
    func tasks(after identifier: String?, in session: SessionID) async throws(TransferFailure) -> TaskPage
    func forceTask(_ identifier: String, in session: SessionID) async throws(TransferFailure)
    func cancelTask(_ identifier: String, in session: SessionID) async throws(TransferFailure)
    func cancelAllTasks(in session: SessionID) async throws(TransferFailure)
    func status() async throws(TransferFailure) -> ServiceStatus
    func stopService() async throws(TransferFailure)
    func close()
}

extension ServiceConnection: TransferService {}
