/// An event that the app must handle. The session delivers it again until the app acknowledges it.
///
/// Longhaul withdraws an event that no longer applies: the end of a transfer that was retried or removed, the
/// end of all transfers after a new submission, or a wait for credentials that is over.
public struct SessionEvent: Equatable, Sendable {
    /// A number that rises within the session and is never reused. Some numbers are missing.
    public var number: Int64
    /// When it happened.
    public var at: WallTime
    /// What happened.
    public var kind: Kind

    /// The kinds of events.
    @nonexhaustive public enum Kind: Equatable, Sendable {
        /// A transfer has ended.
        case transferFinished(TransferSnapshot)
        /// Every transfer of the session has ended (Apple: `urlSessionDidFinishEvents`).
        case allTransfersFinished
        /// A transfer waits for credentials.
        case needsCredentials(TransferSnapshot)
        /// The user clicked on a notification of the session.
        case notificationTapped(NotificationTap)
    }

    /// Initializes an event.
    package init(number: Int64, at: WallTime, kind: Kind) {
        self.number = number
        self.at = at
        self.kind = kind
    }

    /// The transfer that the event is about, if there is one.
    public var transfer: TransferSnapshot? {
        switch kind {
        case .transferFinished(let snapshot), .needsCredentials(let snapshot): snapshot
        case .allTransfersFinished, .notificationTapped: nil
        }
    }
}

/// Some of the unacknowledged events, in order.
package struct EventPage: Equatable, Sendable {
    package var events: [SessionEvent]
    /// Whether more follow after the last one.
    package var hasMore: Bool

    package init(events: [SessionEvent] = [], hasMore: Bool = false) {
        self.events = events
        self.hasMore = hasMore
    }
}

/// An event as it is stored. The transfer is read when the event is delivered.
package struct EventRecord: Equatable, Sendable {
    /// The stored numbers: cases are added, never renumbered.
    package enum Kind: Int, Equatable, Sendable, CaseIterable {
        case transferFinished = 0
        case allTransfersFinished = 1
        case needsCredentials = 2
        case notificationTapped = 3

        /// The reason for launching the app.
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
    /// The notification that the user clicked on.
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
