/// The ID of a connection that watches a session, subscribes to its events, or runs its background tasks.
package struct WatchToken: Hashable, Sendable {
    package var number: UInt64

    package init(number: UInt64) {
        self.number = number
    }
}

/// Whether the session's app is present: at least one connection is attached to the session.
package struct Attendance: Equatable, Sendable {
    private var attached: Set<WatchToken> = []
    /// When the last connection detached. Initially when the session was opened, because the app may have seen
    /// everything under the previous owner.
    package private(set) var leftAt: WallTime

    package init(openedAt: WallTime) {
        leftAt = openedAt
    }

    package var isAttached: Bool { !attached.isEmpty }

    package mutating func add(_ token: WatchToken) {
        attached.insert(token)
    }

    package mutating func remove(_ token: WatchToken, at now: WallTime) {
        guard attached.remove(token) != nil, attached.isEmpty else { return }
        leftAt = now
    }
}
