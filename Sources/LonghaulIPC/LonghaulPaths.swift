import Glibc
package import LonghaulCore

/// Where this user's service listens and keeps its sessions.
package struct LonghaulPaths: Equatable, Sendable {
    /// Holds the socket; gone after a reboot.
    package var runtimeDirectory: String
    /// Holds the sessions and the log.
    package var stateDirectory: String
    /// Whether the runtime directory's parent can be written by everybody, so that it may be a trap.
    package var isRuntimeParentShared: Bool

    package var socket: String { runtimeDirectory + "/socket" }
    package var sessions: String { stateDirectory + "/sessions" }
    package var log: String { stateDirectory + "/longhauld.log" }

    /// Follows the XDG Base Directory Specification: a value that is not an absolute path is ignored.
    package init(environment: [String: String], user: UInt32 = getuid()) throws(TransferFailure) {
        if let directory = Self.absolute(environment["XDG_STATE_HOME"]) {
            stateDirectory = directory + "/longhaul"
        } else if let home = Self.absolute(environment["HOME"]) {
            stateDirectory = home + "/.local/state/longhaul"
        } else {
            throw TransferFailure(
                .invalidArgument, "There is no place for transfers: set HOME or XDG_STATE_HOME to an absolute path.")
        }
        if let directory = Self.absolute(environment["XDG_RUNTIME_DIR"]) {
            runtimeDirectory = directory + "/longhaul"
            isRuntimeParentShared = false
        } else if PrivateDirectory.isOwned("/run/user/\(user)", by: user) {
            runtimeDirectory = "/run/user/\(user)/longhaul"
            isRuntimeParentShared = false
        } else {
            runtimeDirectory = "/tmp/longhaul-\(user)"
            isRuntimeParentShared = true
        }
    }

    /// Makes the runtime directory if need be, and makes sure that nobody else can reach into it.
    package func prepareRuntimeDirectory() throws(TransferFailure) {
        try PrivateDirectory.create(runtimeDirectory, mayTighten: !isRuntimeParentShared)
    }

    package func prepareStateDirectory() throws(TransferFailure) {
        try PrivateDirectory.create(stateDirectory, mayTighten: true)
    }

    private static func absolute(_ path: String?) -> String? {
        guard var path, path.hasPrefix("/") else { return nil }
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }
}
