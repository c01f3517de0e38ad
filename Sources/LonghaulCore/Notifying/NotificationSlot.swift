/// A place for one notification: what comes later replaces what is there.
package enum NotificationKey: Hashable, Sendable {
    case session
    case group(String)
    /// The app's own, by its identifier.
    case text(String)

    /// What an app gets with a tap.
    package var identifier: String {
        switch self {
        case .session: "transfers"
        case .group(let name): "transfers/" + name
        case .text(let identifier): identifier
        }
    }

    /// Its name in the store.
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

/// What a notification says in numbers; two that are equal need not be shown twice.
package struct NotificationHeadline: Equatable, Sendable {
    /// `nil` for the app's own words.
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

    package init(transfer: TransferID, name: String, host: String, reason: String) {
        self.transfer = transfer
        self.name = name
        self.host = host
        self.reason = reason
    }
}

/// A notification on the screen: its number is the server's, and means something only to that running server.
package struct ShownNotification: Equatable, Sendable {
    package var number: UInt32
    /// Names the bus and the connection of the server.
    package var server: String
    package var at: WallTime

    package init(number: UInt32, server: String, at: WallTime) {
        self.number = number
        self.server = server
        self.at = at
    }
}

/// How transfers stand that share a notification.
package struct NotificationTally: Equatable, Sendable {
    /// Running, awaiting a response, or about to run by themselves.
    package var underWay = 0
    /// Waiting for a person.
    package var needing = 0
    package var paused = 0
    /// Waiting for anything else.
    package var resting = 0
    /// Ended since a person saw the last notification.
    package var finished = 0
    package var failed = 0
    /// How many were under way when their app was ended by force.
    package var interrupted = 0
    /// How many of `finished` were announced.
    package var announced = 0
    /// Whether the app left while these were under way.
    package var departed = false
    /// Whether they were paused from the notification.
    package var pausedHere = false
    /// A person closed the notification of progress, or the one about what is needed of them. It is not shown again until
    /// there is more to say.
    package var hushesProgress = false
    package var hushedNeeds = 0
    package var subjects = Subjects()

    /// The newest transfer of each kind, to be named.
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

/// All that is kept of one notification.
package struct NotificationSlot: Equatable, Sendable {
    package var tally = NotificationTally()
    /// The app's own words, in a slot for them.
    package var text: PlainNotification?
    /// What was shown last, whether or not it is still there.
    package var posted: NotificationHeadline?
    package var shown: ShownNotification?

    package init() {}

    /// Whether nothing would be lost with it.
    package var isEmpty: Bool {
        text == nil && shown == nil && tally.live == 0 && tally.finished == 0 && tally.failed == 0
            && tally.interrupted == 0
    }
}
