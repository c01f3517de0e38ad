/// The names inside a session's directory.
package struct SessionLayout: Equatable, Sendable {
    package var directory: String

    /// `stateDirectory` is `$XDG_STATE_HOME/longhaul`.
    package init(stateDirectory: String, session: SessionID) {
        directory = stateDirectory + "/sessions/" + session.description
    }

    package init(directory: String) {
        self.directory = directory
    }

    /// The directory that contains all session directories.
    package var stateDirectory: String {
        let parts = directory.split(separator: "/").dropLast(2)
        return "/" + parts.joined(separator: "/")
    }

    /// The session that the directory belongs to.
    package var session: SessionID? {
        directory.baseName.flatMap(SessionID.init)
    }

    /// The process that holds the kernel lock on this file runs the session.
    package var lock: String { directory + "/lock" }
    /// The bytes used of the session's data budget.
    package var budget: String { directory + "/budget" }
    /// The servers that announced HTTP/3. A cache: recreated if the file is missing or unreadable.
    package var alternatives: String { directory + "/alternatives" }
    /// The cookies of transfers that share them in the session, in Netscape's format.
    package var cookies: String { directory + "/cookies" }
    /// The transfers that the process worked on when it trapped. The file exists only after a trap.
    package var traps: String { directory + "/traps" }
    /// The record of a transfer that cannot be read without a trap, saved before its replacement was written.
    package func unreadable(_ id: TransferID) -> String { directory + "/unreadable-\(id)" }
    package var store: String { directory + "/store.sqlite" }
    /// The store's state when the session was closed because it had nothing to do (`SessionRest`).
    package var rest: String { directory + "/rest" }
    /// Bodies made in memory or read from standard input. A file is orphaned if no record names it and no process holds
    /// a lock on it.
    package var staged: String { directory + "/staged" }
}
