/// Who runs a session.
package struct SessionOwner: Equatable, Sendable {
    package enum Kind: Int, Equatable, Sendable {
        /// An app, in its own process.
        case app = 0
        /// longhauld.
        case service = 1
    }

    package var kind: Kind
    package var processID: Int
    /// The boot in which it opened the session.
    package var bootID: String
    package var openedAt: WallTime
    /// When it let go of the session by itself; `nil` while it has it, and for ever when it was ended by force.
    package var endedAt: WallTime?

    package init(kind: Kind, processID: Int, bootID: String, openedAt: WallTime, endedAt: WallTime? = nil) {
        self.kind = kind
        self.processID = processID
        self.bootID = bootID
        self.openedAt = openedAt
        self.endedAt = endedAt
    }
}

/// What happens to a session's transfers when the app that ran them is ended by force.
public enum OwnerLossPolicy: Int, Equatable, Sendable {
    /// They go on as soon as somebody runs the session again.
    case goOn = 0
    /// They are paused until somebody resumes them.
    case pause = 1
    /// They are cancelled: Apple's rule for background sessions.
    case cancel = 2
}

/// Why an app that ran a session is gone. The first three numbers are those of `NSURLErrorBackgroundTaskCancelledReasonKey`.
///
/// An operating system seldom tells another process why a third one ended. On Linux nobody can tell a person who ends an
/// app by force from a crash or from the kernel that was short of memory: all of them are `unknown`. The names are here for systems
/// that do tell.
public enum OwnerLossReason: Int, Equatable, Sendable {
    /// A person ended the app by force.
    case userForceQuit = 0
    /// Background work is not allowed to the app.
    case backgroundUpdatesDisabled = 1
    /// The system was short of something.
    case insufficientResources = 2
    /// The process ended without a word.
    case unknown = 3
    /// The machine was started anew, so nothing was done to the app alone. The policy does not apply.
    case systemRestarted = 4
}

/// A report on an app that was ended while it ran its session, and on what was done about it. It is kept until it is acknowledged.
public struct OwnerLossReport: Equatable, Sendable {
    /// The process that is gone.
    public var processID: Int
    /// When it had opened the session.
    public var openedAt: WallTime
    /// When the next owner noticed.
    public var noticedAt: WallTime
    /// Why, as far as it can be known.
    public var reason: OwnerLossReason
    /// What was done.
    public var policy: OwnerLossPolicy
    /// How many transfers it was done to; with `goOn`, how many were interrupted.
    public var transfers: Int

    /// Reports a loss.
    package init(
        processID: Int, openedAt: WallTime, noticedAt: WallTime, reason: OwnerLossReason, policy: OwnerLossPolicy,
        transfers: Int
    ) {
        self.processID = processID
        self.openedAt = openedAt
        self.noticedAt = noticedAt
        self.reason = reason
        self.policy = policy
        self.transfers = transfers
    }
}

/// What a client may know about a session as a whole.
package struct SessionInfo: Equatable, Sendable {
    /// Who runs it now.
    package var owner: SessionOwner?
    package var ownerLossPolicy = OwnerLossPolicy.goOn
    /// A loss that nobody has acknowledged yet: the last one.
    package var ownerLoss: OwnerLossReport?
    /// How many requests are sent when the processes that left them are lost.
    package var lastWills = 0

    package init() {}
}
