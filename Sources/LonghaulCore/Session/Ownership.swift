/// The process that runs a session.
package struct SessionOwner: Equatable, Sendable {
    package enum Kind: Int, Equatable, Sendable {
        /// An app, in its own process.
        case app = 0
        /// longhauld.
        case service = 1
    }

    package var kind: Kind
    package var processID: Int
    /// The boot in which the process opened the session.
    package var bootID: String
    package var openedAt: WallTime
    /// When the process released the session; `nil` while it has the session, or if it was killed.
    package var endedAt: WallTime?

    package init(kind: Kind, processID: Int, bootID: String, openedAt: WallTime, endedAt: WallTime? = nil) {
        self.kind = kind
        self.processID = processID
        self.bootID = bootID
        self.openedAt = openedAt
        self.endedAt = endedAt
    }
}

extension OwnerLossReport {
    /// The treatment of a session's transfers after the app that ran them was killed.
    @nonexhaustive public enum Policy: Equatable, Sendable {
        /// Transfers resume when a process opens the session.
        case resume
        /// Transfers are paused until they are resumed.
        case pause
        /// Transfers are cancelled, as in Apple's background sessions.
        case cancel
    }
}

package typealias OwnerLossPolicy = OwnerLossReport.Policy

extension OwnerLossReport {
    /// The reason why the app ended.
    ///
    /// Linux does not report whether the user, a crash, or a lack of memory ended a process: the reason is
    /// then `unknown`. The other reasons are for systems that report them.
    @nonexhaustive public enum Reason: Equatable, Sendable {
        /// The user killed the app.
        case userForceQuit
        /// The system forbids background work to the app.
        case backgroundUpdatesDisabled
        /// The system lacked memory or another resource.
        case insufficientResources
        /// The process ended for an unknown reason.
        case unknown
        /// The machine restarted. The policy does not apply.
        case systemRestarted
    }
}

package typealias OwnerLossReason = OwnerLossReport.Reason

/// A report about an app that was killed while it ran its session. The session keeps the report until the app
/// acknowledges it.
public struct OwnerLossReport: Equatable, Sendable {
    /// The ID of the process that ended.
    package var processID: Int
    /// When the process opened the session.
    package var openedAt: WallTime
    /// When the next owner of the session noticed the loss.
    package var noticedAt: WallTime
    /// The reason, as far as it is known.
    public var reason: Reason
    /// The policy that was applied.
    public var policy: Policy
    /// The number of transfers that the policy affected; with `resume`, of interrupted transfers.
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

/// The state of a session as a whole.
package struct SessionInfo: Equatable, Sendable {
    /// The process that runs the session now.
    package var owner: SessionOwner?
    package var ownerLossPolicy = OwnerLossPolicy.resume
    /// The last loss that no app has acknowledged.
    package var ownerLoss: OwnerLossReport?
    /// The number of last wills.
    package var lastWills = 0

    package init() {}
}
