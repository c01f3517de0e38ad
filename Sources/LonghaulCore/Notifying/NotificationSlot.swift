/// Identifies a notification: a later one with the same key replaces it.
package enum NotificationKey: Hashable, Sendable {
    case session
    case group(String)
    /// A notification of the app, by its identifier.
    case text(String)

    /// The identifier in an app's tap event.
    package var identifier: String {
        switch self {
        case .session: "transfers"
        case .group(let name): "transfers/" + name
        case .text(let identifier): identifier
        }
    }

    /// The key's text in the store.
    package var name: String {
        switch self {
        case .session: "s"
        case .group(let name): "g" + name
        case .text(let identifier): "t" + identifier
        }
    }

    package init?(name: String) {
        switch name.utf8.first {
        case UInt8(ascii: "s") where name.utf8.count == 1: self = .session
        case UInt8(ascii: "g"): self = .group(String(name.dropFirst()))
        case UInt8(ascii: "t"): self = .text(String(name.dropFirst()))
        default: return nil
        }
    }
}

/// The facts that a notification states; equal headlines need not be shown twice.
package struct NotificationHeadline: Equatable, Sendable {
    /// `nil` for a notification of the app.
    package var kind: NotificationKind?
    package var count: Int

    package init(kind: NotificationKind?, count: Int) {
        self.kind = kind
        self.count = count
    }
}

/// The transfer that a text names.
package struct NotificationSubject: Equatable, Sendable {
    package var transfer: TransferID
    package var name: String
    package var host: String
    package var reason: String
    /// `nil` if an earlier version stored the subject.
    package var direction: TransferSnapshot.Direction?

    package init(
        transfer: TransferID, name: String, host: String, reason: String,
        direction: TransferSnapshot.Direction? = nil
    ) {
        self.transfer = transfer
        self.name = name
        self.host = host
        self.reason = reason
        self.direction = direction
    }
}

/// A shown notification. Its number is valid only for that running server.
package struct ShownNotification: Equatable, Sendable {
    package var number: UInt32
    /// Identifies the bus and the connection of the server.
    package var server: String
    package var at: WallTime

    package init(number: UInt32, server: String, at: WallTime) {
        self.number = number
        self.server = server
        self.at = at
    }
}

/// Counts of the transfers that share a notification.
package struct NotificationTally: Equatable, Sendable {
    /// Running, awaiting a response, or about to run without the user.
    package var underWay = 0
    /// Waiting for the user.
    package var needing = 0
    package var paused = 0
    /// Waiting for anything else.
    package var resting = 0
    /// Ended since the user saw the last notification.
    package var finished = 0
    package var failed = 0
    /// Transfers that were active when their app was ended by force.
    package var interrupted = 0
    /// How many of `finished` were announced.
    package var announced = 0
    /// Whether the app exited while these were active.
    package var departed = false
    /// Whether they were paused from the notification.
    package var pausedHere = false
    /// The user closed the notification of progress, or the one about the action needed. It is not shown again until there is more
    /// to report.
    package var hushesProgress = false
    package var hushedNeeds = 0
    package var subjects = Subjects()

    /// The newest transfer of each kind, for the text.
    package struct Subjects: Equatable, Sendable {
        package var finished: NotificationSubject?
        package var failed: NotificationSubject?
        package var needing: NotificationSubject?
        package var moving: NotificationSubject?

        package init() {}
    }

    package init() {}

    package var live: Int { underWay + needing + paused + resting }
}

/// The stored state of one notification.
package struct NotificationSlot: Equatable, Sendable {
    package var tally = NotificationTally()
    /// The app's notification, in a slot for one.
    package var text: PlainNotification?
    /// The headline shown last, even if it has been closed.
    package var posted: NotificationHeadline?
    package var shown: ShownNotification?

    package init() {}

    /// Whether the slot holds no information.
    package var isEmpty: Bool {
        text == nil && shown == nil && tally.live == 0 && tally.finished == 0 && tally.failed == 0
            && tally.interrupted == 0
    }
}
