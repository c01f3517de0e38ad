/// Why the service started this process. The session's events say what has happened.
public struct WakeRequest: Equatable, Sendable {
    /// Why an app is started.
    package enum Reason: String, Equatable, Sendable, CaseIterable {
        /// The start did not name a reason. The session's events do.
        case unspecified = ""
        /// All transfers of the session have ended.
        case allTransfersFinished = "all-transfers-finished"
        /// A transfer has ended whose options request a start.
        case transferFinished = "transfer-finished"
        /// A transfer waits for credentials.
        case needsCredentials = "needs-credentials"
        /// The user clicked on a notification.
        case notificationTapped = "notification-tapped"
        /// A background task is due; ``task`` is its identifier.
        case backgroundTask = "background-task"
    }

    package var sessionID: SessionID
    /// Why the process was started.
    package var reason: Reason
    /// The transfer that the start is about, if any.
    public var transfer: TransferID?
    /// The identifier of the background task that the start is about, if any.
    public var task: String?
    /// The identifier of the notification that the user clicked on, if any.
    public var notification: String?
    /// The desktop's token for raising a window, if it gave one.
    public var activationToken: String?

    /// The identifier of the session to open.
    public var session: String { sessionID.description }

    package init(
        session: SessionID, reason: Reason = .unspecified, transfer: TransferID? = nil, task: String? = nil,
        notification: String? = nil, activationToken: String? = nil
    ) {
        sessionID = session
        self.reason = reason
        self.transfer = transfer
        self.task = task
        self.notification = notification
        self.activationToken = activationToken
    }

    /// Reads the request from the environment that a process was started with. Returns `nil` if the process was not started for a
    /// session. An unknown reason is `unspecified`.
    package init?(environment: [String: String]) {
        guard let session = environment[Self.sessionVariable].flatMap({ SessionID($0) }) else { return nil }
        self.init(
            session: session,
            reason: environment[Self.reasonVariable].flatMap(Reason.init(rawValue:)) ?? .unspecified,
            transfer: environment[Self.transferVariable].flatMap { TransferID($0) },
            task: environment[Self.taskVariable], notification: environment[Self.notificationVariable],
            activationToken: environment[Self.tokenVariable])
    }

    /// The request as environment variables, without absent parts.
    package var variables: [(name: String, value: String)] {
        let all = [
            (Self.sessionVariable, session), (Self.reasonVariable, reason.rawValue),
            (Self.transferVariable, transfer?.description ?? ""), (Self.taskVariable, task ?? ""),
            (Self.notificationVariable, notification ?? ""), (Self.tokenVariable, activationToken ?? ""),
        ]
        return all.filter { !$0.1.isEmpty }
    }

    /// Returns a command with the request's parts instead of their placeholders.
    package func command(_ arguments: [String]) -> [String] {
        arguments.enumerated().map { index, argument in
            guard index > 0 else { return argument }
            switch argument {
            case "{session}": return session
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

    /// All names that `variables` can have: a program started later must not inherit an earlier program's request.
    package static let variableNames = [
        sessionVariable, reasonVariable, transferVariable, taskVariable, notificationVariable, tokenVariable,
    ]
}

package typealias WakeReason = WakeRequest.Reason

/// A launch to perform now.
package struct WakeOrder: Equatable, Sendable {
    package var request: WakeRequest
    package var method: WakeMethod
    /// What the app left undone after its last launch; empty for nothing.
    package var remark: String

    package init(request: WakeRequest, method: WakeMethod, remark: String = "") {
        self.request = request
        self.method = method
        self.remark = remark
    }
}

/// The result of a launch.
package struct WakeReport: Equatable, Sendable {
    package var outcome: WakeOutcome
    /// A message for the user: the problem and the remedy; empty if there is none.
    package var message: String

    package init(_ outcome: WakeOutcome, _ message: String = "") {
        self.outcome = outcome
        self.message = message
    }
}
