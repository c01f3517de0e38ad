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

    /// The directory of all sessions' directory.
    package var stateDirectory: String {
        let parts = directory.split(separator: "/").dropLast(2)
        return "/" + parts.joined(separator: "/")
    }

    /// The session whose directory it is.
    package var session: SessionID? {
        directory.baseName.flatMap(SessionID.init)
    }

    /// Whoever holds the kernel lock on this file runs the session.
    package var lock: String { directory + "/lock" }
    /// What was taken from the session's data budget.
    package var budget: String { directory + "/budget" }
    /// Which servers announced HTTP/3: only kept to be quick, and made anew when it is gone or cannot be read.
    package var alternatives: String { directory + "/alternatives" }
    /// The cookies of transfers that keep them with the session, in Netscape's form.
    package var cookies: String { directory + "/cookies" }
    /// Which transfers the process was at work on when it trapped. There only after that has happened.
    package var traps: String { directory + "/traps" }
    /// The record of a transfer that cannot be read without a trap, as it was before another one took its place.
    package func unreadable(_ id: TransferID) -> String { directory + "/unreadable-\(id)" }
    package var store: String { directory + "/store.sqlite" }
    /// Bodies made in memory or read from standard input. A file here that no record names and nobody holds a lock on is litter.
    package var staged: String { directory + "/staged" }
}
