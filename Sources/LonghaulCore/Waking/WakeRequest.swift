/// Why an app is started.
public enum WakeReason: String, Equatable, Sendable, CaseIterable {
    /// The way it was started does not tell. The session's events do.
    case unspecified = ""
    /// All transfers of the session have ended.
    case allTransfersFinished = "all-transfers-finished"
    /// A transfer has ended that asked for a start of its own.
    case transferFinished = "transfer-finished"
    /// A transfer waits for credentials.
    case needsCredentials = "needs-credentials"
    /// A person clicked on a notification.
    case notificationTapped = "notification-tapped"
    /// A background task is due; `task` is its identifier.
    case backgroundTask = "background-task"
}

/// What an app is started for. What has happened is in the session's events; this is only the knock at the door.
public struct WakeRequest: Equatable, Sendable {
    /// The session to open.
    public var session: SessionID
    /// Why.
    public var reason: WakeReason
    /// The transfer it is about, if it is about one.
    public var transfer: TransferID?
    /// The background task it is about, if it is about one.
    public var task: String?
    /// The notification that was clicked on, if one was.
    public var notification: String?
    /// What the desktop gave for bringing a window to the front, if it gave something.
    public var activationToken: String?

    /// Asks for a start.
    public init(
        session: SessionID, reason: WakeReason = .unspecified, transfer: TransferID? = nil, task: String? = nil,
        notification: String? = nil, activationToken: String? = nil
    ) {
        self.session = session
        self.reason = reason
        self.transfer = transfer
        self.task = task
        self.notification = notification
        self.activationToken = activationToken
    }

    /// Reads the request from the environment a process was started with; `nil` when it was not started for a session. A
    /// reason of a newer service is `unspecified`.
    public init?(environment: [String: String]) {
        guard let session = environment[Self.sessionVariable].flatMap({ SessionID($0) }) else { return nil }
        self.init(
            session: session,
            reason: environment[Self.reasonVariable].flatMap(WakeReason.init(rawValue:)) ?? .unspecified,
            transfer: environment[Self.transferVariable].flatMap { TransferID($0) },
            task: environment[Self.taskVariable], notification: environment[Self.notificationVariable],
            activationToken: environment[Self.tokenVariable])
    }

    /// The same as variables; absent parts have none.
    package var variables: [(name: String, value: String)] {
        let all = [
            (Self.sessionVariable, session.description), (Self.reasonVariable, reason.rawValue),
            (Self.transferVariable, transfer?.description ?? ""), (Self.taskVariable, task ?? ""),
            (Self.notificationVariable, notification ?? ""), (Self.tokenVariable, activationToken ?? ""),
        ]
        return all.filter { !$0.1.isEmpty }
    }

    /// A command with the request's parts in place of the arguments that ask for them.
    package func command(_ arguments: [String]) -> [String] {
        arguments.enumerated().map { index, argument in
            guard index > 0 else { return argument }
            switch argument {
            case "{session}": return session.description
            case "{reason}": return reason.rawValue
            case "{transfer}": return transfer?.description ?? ""
            case "{task}": return task ?? ""
            case "{notification}": return notification ?? ""
            default: return argument
            }
        }
    }

    private static let sessionVariable = "LONGHAUL_SESSION"
    private static let reasonVariable = "LONGHAUL_WAKE_REASON"
    private static let transferVariable = "LONGHAUL_WAKE_TRANSFER"
    private static let taskVariable = "LONGHAUL_WAKE_TASK"
    private static let notificationVariable = "LONGHAUL_WAKE_NOTIFICATION"
    /// Known to toolkits (xdg-activation protocol).
    private static let tokenVariable = "XDG_ACTIVATION_TOKEN"

    /// Every name that `variables` can have: a program started later must not inherit what an earlier one was woken for.
    package static let variableNames = [
        sessionVariable, reasonVariable, transferVariable, taskVariable, notificationVariable, tokenVariable,
    ]
}

/// A start to be made now.
package struct WakeOrder: Equatable, Sendable {
    package var request: WakeRequest
    package var method: WakeMethod
    /// What the app left undone when it was started before; empty for nothing.
    package var remark: String

    package init(request: WakeRequest, method: WakeMethod, remark: String = "") {
        self.request = request
        self.method = method
        self.remark = remark
    }
}

/// What came of a start.
package struct WakeReport: Equatable, Sendable {
    package var outcome: WakeOutcome
    /// For a person: what is wrong and what to do; empty when nothing is.
    package var message: String

    package init(_ outcome: WakeOutcome, _ message: String = "") {
        self.outcome = outcome
        self.message = message
    }
}
