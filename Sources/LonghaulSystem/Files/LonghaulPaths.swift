package import LonghaulCore

/// The paths of this user's service and its sessions.
///
/// There is one service for each state directory. All files for finding it are in that directory, so that every program
/// with the same transfers has the same service, regardless of its other environment variables.
package struct LonghaulPaths: Equatable, Sendable {
    /// Holds the sessions, the log, the service's lock, and its socket.
    package var stateDirectory: String
    /// The user's runtime directory; `nil` if there is none. systemd listens in it for a service that is not running.
    /// Logout deletes it, so nothing else is stored in it.
    package var runtimeDirectory: String?

    package var socket: String { stateDirectory + "/socket" }
    /// The file that names the socket if the state directory's file system supports none.
    package var address: String { stateDirectory + "/socket.address" }
    package var lock: String { stateDirectory + "/service.lock" }
    package var sessions: String { stateDirectory + "/sessions" }
    package var log: String { stateDirectory + "/longhauld.log" }
    /// The socket of the unit `longhaul.socket`: systemd starts the service when a client connects to it.
    package var activationSocket: String? { runtimeDirectory.map { $0 + "/longhaul/socket" } }

    /// Follows the XDG Base Directory Specification: a value that is not an absolute path is ignored, and so is a
    /// runtime directory that is missing or owned by another user, as after su(1). A state directory whose path is not UTF-8 is an error,
    /// since the transfers would be in another directory.
    ///
    /// - Parameter repaired: The variables whose values are not UTF-8 (`ProcessEnvironment.repaired`).
    package init(
        environment: [String: String], user: UInt32 = ThisProcess.user,
        repaired: [String: String] = ProcessEnvironment.repaired
    ) throws(TransferFailure) {
        func path(_ name: String) throws(TransferFailure) -> String? {
            guard let path = Self.absolute(environment[name]) else { return nil }
            try ProcessEnvironment.checkPath(name, in: environment, repaired: repaired)
            return path
        }
        if let directory = try path("XDG_STATE_HOME") {
            stateDirectory = directory + "/longhaul"
        } else if let home = try path("HOME") ?? Self.absolute(UserAccount(user)?.home) {
            stateDirectory = home + "/.local/state/longhaul"
        } else {
            throw TransferFailure(
                .invalidArgument, "There is no state directory. Set HOME or XDG_STATE_HOME to an absolute path.")
        }
        let candidates = [try? path("XDG_RUNTIME_DIR"), "/run/user/\(user)"].compactMap(\.self)
        // With the trailing dot, the path of a symbolic link refers to its target.
        runtimeDirectory = candidates.first { PrivateDirectory.isOwned($0 + "/.", by: user) }
    }

    package func prepareStateDirectory() throws(TransferFailure) {
        try PrivateDirectory.create(stateDirectory, mayTighten: true)
    }

    /// Returns the environment for a program that is started for this user: sets the runtime directory if one was found.
    package func completing(_ environment: [String: String]) -> [String: String] {
        guard let runtimeDirectory else { return environment }
        return environment.merging(["XDG_RUNTIME_DIR": runtimeDirectory]) { $1 }
    }

    private static func absolute(_ path: String?) -> String? {
        guard var path, path.hasPrefix("/") else { return nil }
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }
}
