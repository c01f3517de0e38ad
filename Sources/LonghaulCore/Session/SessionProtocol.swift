/// A command for a session. The socket and the loop use the same values.
package enum SessionCommand: Equatable, Sendable {
    /// Answered by `.submitted` after the commit is on disk.
    case submit([TransferSpec])
    case control(ControlVerb, TransferSelection)
    case list(ListQuery)
    case show(TransferID)
    case history(TransferID)
    case setLimits(SessionLimits)
    case limits
    /// Compares records, active transfers, and files, and repairs everything that needs no decision of the user.
    case reconcile
    /// The owner of the session, and the last loss of an owner.
    case info
    case setOwnerLossPolicy(OwnerLossPolicy)
    /// Acknowledges the loss of an owner, which is then no longer reported.
    case acknowledgeOwnerLoss
    /// Acknowledges that the queue was damaged, which is then no longer reported.
    case acknowledgeDamage
    /// Keeps a credential in memory, for the origin of this URL. Transfers that wait for it continue.
    case provideCredential(CredentialName, url: String, Credential)
    /// Sets the command that supplies credentials, with its arguments; empty for none.
    case setCredentialHelper([String])
    /// The status of the session's credentials.
    case credentials
    /// Replaces the URL of a transfer, and its headers if they are not `nil`. The transfer keeps its progress.
    case replaceURL(TransferID, url: String, headers: [HeaderField]?)
    /// Accepts a server's key for a transfer, which then continues.
    case trust(TransferID, TrustedKey)
    /// The unacknowledged events after this number, as many as one answer holds.
    case events(after: Int64)
    /// Acknowledges the events up to this number: they are not returned again, and the app is not launched for them.
    case acknowledgeEvents(through: Int64)
    /// Sets how the session's app is launched; `nil` to never launch it.
    case setWake(WakeRegistration?)
    case wakeStatus
    /// Changes existing transfers. Answered by `.controlled`.
    case adjust(TransferAdjustment, TransferSelection)
    /// Sets the conditions and rate limits of the session.
    case setRules(SessionRules)
    case rules
    /// Answered by `.notifications`.
    case notifications(NotificationRequest)
    /// Submits a background task, which replaces the pending task with the same identifier.
    case submitTask(BackgroundTaskRequest)
    /// Removes the pending task with this identifier. A run in progress continues.
    case cancelTask(String)
    case cancelAllTasks
    /// The tasks after this identifier in order, as many as one answer holds; `nil` from the first.
    case tasks(after: String?)
    /// Runs a pending task at once, regardless of its conditions.
    case forceTask(String)
    /// The handler of a run returned, or timed out. May be repeated.
    case taskReturned(TaskReturn)
    case setTaskSettings(BackgroundTaskSettings)
    /// The number of transfers in each state.
    case totals
    /// Answered by `.info`.
    case lastWill(LastWillOrder)
}

/// The answer without a session, and the kind of a command.
extension SessionCommand {
    /// Whether the command is a query, which can be answered while the disk accepts no writes.
    package var isQuestion: Bool {
        switch self {
        case .list, .show, .history, .limits, .info, .credentials, .events, .wakeStatus, .tasks, .rules,
            .totals, .notifications(.status):
            true
        case .submit, .control, .setLimits, .reconcile, .setOwnerLossPolicy, .acknowledgeOwnerLoss, .acknowledgeDamage,
            .provideCredential, .setCredentialHelper, .replaceURL, .trust, .acknowledgeEvents, .setWake, .submitTask,
            .cancelTask,
            .cancelAllTasks, .forceTask, .taskReturned, .setTaskSettings, .adjust, .setRules, .notifications,
            .lastWill:
            false
        }
    }

    /// The answer if the session does not exist yet; `nil` for a command that must be stored, and so creates the
    /// session.
    package var answerWithoutSession: SessionReply? {
        switch self {
        case .submit, .setLimits, .setOwnerLossPolicy, .setWake, .provideCredential, .setCredentialHelper, .submitTask,
            .setTaskSettings, .setRules, .notifications(.set), .notifications(.post), .lastWill(.keep):
            nil
        case .credentials: .credentials(CredentialReport())
        case .replaceURL(let id, _, _), .trust(let id, _): .failed(.unknownWithoutSession(id))
        case .list: .page(ListPage(transfers: [], hasMore: false, totals: SessionTotals()))
        case .show(let id), .history(let id): .failed(.unknownWithoutSession(id))
        case .control(_, .ids(let ids)), .adjust(_, .ids(let ids)):
            .controlled(
                ControlAnswer(changed: 0, refusals: ids.map { .init(id: $0, failure: .unknownWithoutSession($0)) }))
        case .control(_, .group), .control(_, .all), .adjust(_, .group), .adjust(_, .all):
            .controlled(ControlAnswer(changed: 0))
        case .rules: .rules(SessionRulesReport())
        case .limits: .limits(SessionLimits())
        case .reconcile: .reconciled(ReconcileReport(checked: 0))
        case .info, .acknowledgeOwnerLoss, .acknowledgeDamage, .lastWill(.takeBack): .info(SessionInfo())
        case .events: .events(EventPage())
        case .acknowledgeEvents, .wakeStatus: .wake(WakeStatus())
        case .notifications(.status), .notifications(.withdraw): .notifications(NotificationStatus())
        case .cancelTask, .cancelAllTasks, .taskReturned: .taskDone
        case .tasks: .tasks(TaskPage())
        case .totals: .totals(SessionTotals())
        case .forceTask(let identifier): .failed(BackgroundTaskRequest.unknown(identifier))
        }
    }
}

extension TransferFailure {
    package static let unexpectedAnswer = TransferFailure(
        .protocolMismatch,
        "longhauld sent an answer to another request. Update the older of the two programs.")

    fileprivate static func unknownWithoutSession(_ id: TransferID) -> TransferFailure {
        TransferFailure(.unknownTransfer, "There is no transfer \(id) in this session.")
    }
}

extension SessionCommand: WireChoice {
    package static func cases(_ value: inout Self?, _ wire: inout WireFields) throws(WireError) {
        try casesOfTransfers(&value, &wire)
        try casesOfApps(&value, &wire)
    }

    /// Commands about transfers and their session.
    private static func casesOfTransfers(
        _ value: inout Self?, _ wire: inout WireFields
    ) throws(WireError) {
        try wire.message(&value, 1, { Self.submit($0.items) }) {
            if case .submit(let specs) = $0 { WireList(specs) } else { nil }
        }
        try wire.message(&value, 2, { Self.control($0.verb, $0.selection) }) {
            if case .control(let verb, let selection) = $0 {
                ControlRequest(verb: verb, selection: selection)
            } else {
                nil
            }
        }
        try wire.message(&value, 3, Self.list) { if case .list(let query) = $0 { query } else { nil } }
        try wire.message(&value, 4, Self.show) { if case .show(let id) = $0 { id } else { nil } }
        try wire.message(&value, 5, Self.history) { if case .history(let id) = $0 { id } else { nil } }
        try wire.message(&value, 6, Self.setLimits) { if case .setLimits(let limits) = $0 { limits } else { nil } }
        try wire.empty(&value, 7, .limits)
        try wire.empty(&value, 8, .reconcile)
        try wire.empty(&value, 9, .info)
        try wire.choice(&value, 10, Self.setOwnerLossPolicy) {
            if case .setOwnerLossPolicy(let policy) = $0 { policy } else { nil }
        }
        try wire.empty(&value, 11, .acknowledgeOwnerLoss)
        try wire.empty(&value, 12, .acknowledgeDamage)
    }

    /// Commands of an app about credentials, events, rules, notifications, and background tasks.
    private static func casesOfApps(
        _ value: inout Self?, _ wire: inout WireFields
    ) throws(WireError) {
        try wire.message(&value, 13, { Self.provideCredential($0.name, url: $0.url, $0.credential) }) {
            if case .provideCredential(let name, let url, let credential) = $0 {
                ProvidedCredential(name: name, url: url, credential: credential)
            } else {
                nil
            }
        }
        try wire.message(&value, 14, { Self.setCredentialHelper($0.words) }) {
            if case .setCredentialHelper(let words) = $0 { HelperCommand(words: words) } else { nil }
        }
        try wire.empty(&value, 15, .credentials)
        try wire.message(&value, 16, { Self.replaceURL($0.id, url: $0.link.url, headers: $0.link.headers) }) {
            if case .replaceURL(let id, let url, let headers) = $0 {
                URLReplacement(id: id, link: Link(url: url, headers: headers))
            } else {
                nil
            }
        }
        try wire.signed(&value, 17, Self.events) { if case .events(let number) = $0 { number } else { nil } }
        try wire.signed(&value, 18, Self.acknowledgeEvents) {
            if case .acknowledgeEvents(let number) = $0 { number } else { nil }
        }
        try wire.message(&value, 19, { Self.setWake($0.registration) }) {
            if case .setWake(let registration) = $0 { WakeRequestBody(registration: registration) } else { nil }
        }
        try wire.empty(&value, 20, .wakeStatus)
        try wire.message(&value, 21, { Self.adjust($0.adjustment, $0.selection) }) {
            if case .adjust(let adjustment, let selection) = $0 {
                AdjustRequest(adjustment: adjustment, selection: selection)
            } else {
                nil
            }
        }
        try wire.message(&value, 22, Self.setRules) { if case .setRules(let rules) = $0 { rules } else { nil } }
        try wire.empty(&value, 23, .rules)
        try wire.message(&value, 24, Self.notifications) {
            if case .notifications(let request) = $0 { request } else { nil }
        }
        try wire.message(&value, 25, Self.submitTask) { if case .submitTask(let request) = $0 { request } else { nil } }
        try wire.text(&value, 26, Self.cancelTask) { if case .cancelTask(let name) = $0 { name } else { nil } }
        try wire.empty(&value, 27, .cancelAllTasks)
        try wire.message(&value, 28, { Self.tasks(after: $0.after) }) {
            if case .tasks(let after) = $0 { TaskQuery(after: after) } else { nil }
        }
        try wire.text(&value, 29, Self.forceTask) { if case .forceTask(let name) = $0 { name } else { nil } }
        try wire.message(&value, 30, Self.taskReturned) {
            if case .taskReturned(let report) = $0 { report } else { nil }
        }
        try wire.message(&value, 31, Self.setTaskSettings) {
            if case .setTaskSettings(let settings) = $0 { settings } else { nil }
        }
        try wire.empty(&value, 32, .totals)
        try wire.message(&value, 33, Self.lastWill) { if case .lastWill(let order) = $0 { order } else { nil } }
        try wire.message(&value, 34, { Self.trust($0.id, $0.key) }) {
            if case .trust(let id, let key) = $0 { TrustDecision(id: id, key: key) } else { nil }
        }
    }
}

/// The session's answer to a `SessionCommand`.
package enum SessionReply: Equatable, Sendable {
    case submitted([SubmissionAnswer])
    case controlled(ControlAnswer)
    case page(ListPage)
    case detail(TransferDetail)
    case history([HistoryEntry])
    case limits(SessionLimits)
    case info(SessionInfo)
    case failed(TransferFailure)
    case reconciled(ReconcileReport)
    case credentials(CredentialReport)
    case events(EventPage)
    case wake(WakeStatus)
    case rules(SessionRulesReport)
    case notifications(NotificationStatus)
    case tasks(TaskPage)
    /// The change of background tasks is on disk.
    case taskDone
    case totals(SessionTotals)
}

extension SessionReply: WireChoice {
    package static func cases(_ value: inout Self?, _ wire: inout WireFields) throws(WireError) {
        try wire.message(&value, 1, { Self.submitted($0.items) }) {
            if case .submitted(let answers) = $0 { WireList(answers) } else { nil }
        }
        try wire.message(&value, 2, Self.controlled) { if case .controlled(let it) = $0 { it } else { nil } }
        try wire.message(&value, 3, Self.page) { if case .page(let it) = $0 { it } else { nil } }
        try wire.message(&value, 4, Self.detail) { if case .detail(let it) = $0 { it } else { nil } }
        try wire.message(&value, 5, { Self.history($0.items) }) {
            if case .history(let entries) = $0 { WireList(entries) } else { nil }
        }
        try wire.message(&value, 6, Self.limits) { if case .limits(let it) = $0 { it } else { nil } }
        try wire.message(&value, 7, Self.failed) { if case .failed(let it) = $0 { it } else { nil } }
        try wire.message(&value, 8, Self.reconciled) { if case .reconciled(let it) = $0 { it } else { nil } }
        try wire.message(&value, 9, Self.info) { if case .info(let it) = $0 { it } else { nil } }
        try wire.message(&value, 10, Self.credentials) { if case .credentials(let it) = $0 { it } else { nil } }
        try wire.message(&value, 11, Self.events) { if case .events(let it) = $0 { it } else { nil } }
        try wire.message(&value, 12, Self.wake) { if case .wake(let it) = $0 { it } else { nil } }
        try wire.message(&value, 13, Self.rules) { if case .rules(let it) = $0 { it } else { nil } }
        try wire.message(&value, 14, Self.notifications) { if case .notifications(let it) = $0 { it } else { nil } }
        try wire.message(&value, 15, Self.tasks) { if case .tasks(let it) = $0 { it } else { nil } }
        try wire.empty(&value, 16, .taskDone)
        try wire.message(&value, 17, Self.totals) { if case .totals(let totals) = $0 { totals } else { nil } }
    }
}
