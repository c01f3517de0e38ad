/// Something that an app has to know about its session. It is kept, and given again, until it is acknowledged.
///
/// An event is withdrawn when it is not true any more: the end of a transfer that was retried or forgotten, the end of
/// all of them when one was added, a wait for credentials that is over.
public struct SessionEvent: Equatable, Sendable {
    /// Numbers rise within a session and are never used again; some are missing.
    public var number: Int64
    /// When it happened.
    public var at: WallTime
    /// What happened.
    public var kind: Kind

    /// What can happen.
    public enum Kind: Equatable, Sendable {
        /// A transfer has ended; this is how it is now.
        case transferFinished(TransferSnapshot)
        /// Every transfer of the session has ended (Apple: `urlSessionDidFinishEvents`).
        case allTransfersFinished
        /// A transfer waits for credentials.
        case needsCredentials(TransferSnapshot)
        /// A person clicked on a notification of the session.
        case notificationTapped(NotificationTap)
    }

    /// Describes what happened.
    package init(number: Int64, at: WallTime, kind: Kind) {
        self.number = number
        self.at = at
        self.kind = kind
    }

    /// The transfer it is about, if it is about one.
    public var transfer: TransferSnapshot? {
        switch kind {
        case .transferFinished(let snapshot), .needsCredentials(let snapshot): snapshot
        case .allTransfersFinished, .notificationTapped: nil
        }
    }
}

/// Some of the events that are not acknowledged, in order.
package struct EventPage: Equatable, Sendable {
    package var events: [SessionEvent]
    /// Whether more follow after the last one.
    package var hasMore: Bool

    package init(events: [SessionEvent] = [], hasMore: Bool = false) {
        self.events = events
        self.hasMore = hasMore
    }
}

/// An event as it is stored. The transfer is read when the event is given.
package struct EventRecord: Equatable, Sendable {
    /// The stored numbers: cases are added, never renumbered.
    package enum Kind: Int, Equatable, Sendable, CaseIterable {
        case transferFinished = 0
        case allTransfersFinished = 1
        case needsCredentials = 2
        case notificationTapped = 3

        /// Why an app is started for it.
        package var wakeReason: WakeReason {
            switch self {
            case .transferFinished: .transferFinished
            case .allTransfersFinished: .allTransfersFinished
            case .needsCredentials: .needsCredentials
            case .notificationTapped: .notificationTapped
            }
        }
    }

    package var number: Int64
    package var at: WallTime
    package var kind: Kind
    package var transfer: TransferID?
    /// What was clicked on.
    package var tap: NotificationTap?

    package init(
        number: Int64, at: WallTime, kind: Kind, transfer: TransferID? = nil, tap: NotificationTap? = nil
    ) {
        self.number = number
        self.at = at
        self.kind = kind
        self.transfer = transfer
        self.tap = tap
    }
}
