/// Names somebody who watches a session, wants to know of its events, or runs its tasks.
package struct WatchToken: Hashable, Sendable {
    package var number: UInt64

    package init(number: UInt64) {
        self.number = number
    }
}

/// Whether the session's app is here. It is while somebody is attached to the session.
package struct Attendance: Equatable, Sendable {
    private var attached: Set<WatchToken> = []
    /// When the last of them went; at first, when the session was opened: who ran it before may have seen everything.
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
