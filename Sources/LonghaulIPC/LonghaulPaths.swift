package import LonghaulCore
import LonghaulSystem

/// Where this user's service listens and keeps its sessions.
///
/// There is one service for each state directory. Everything by which it is found is in that directory, so that every
/// program that has the same transfers has the same service, whatever else its environment says.
package struct LonghaulPaths: Equatable, Sendable {
    /// Holds the sessions, the log, the service's lock and its socket.
    package var stateDirectory: String
    /// The user's own runtime directory; `nil` where there is none. systemd listens in it for a service that does not
    /// run. It comes and goes with logins, so nothing else is there.
    package var runtimeDirectory: String?

    package var socket: String { stateDirectory + "/socket" }
    /// Names the socket where the state directory's file system cannot hold one.
    package var address: String { stateDirectory + "/socket.address" }
    package var lock: String { stateDirectory + "/service.lock" }
    package var sessions: String { stateDirectory + "/sessions" }
    package var log: String { stateDirectory + "/longhauld.log" }
    /// Where the unit `longhaul.socket` listens: who connects there has the service started, by systemd.
    package var activationSocket: String? { runtimeDirectory.map { $0 + "/longhaul/socket" } }

    /// Follows the XDG Base Directory Specification: a value that is not an absolute path is ignored, and so is a
    /// runtime directory that is missing or another user's, as su(1) leaves it behind.
    package init(environment: [String: String], user: UInt32 = ThisProcess.user) throws(TransferFailure) {
        if let directory = Self.absolute(environment["XDG_STATE_HOME"]) {
            stateDirectory = directory + "/longhaul"
        } else if let home = Self.absolute(environment["HOME"]) ?? Self.absolute(UserAccount(user)?.home) {
            stateDirectory = home + "/.local/state/longhaul"
        } else {
            throw TransferFailure(
                .invalidArgument, "There is no state directory. Set HOME or XDG_STATE_HOME to an absolute path.")
        }
        let candidates = [Self.absolute(environment["XDG_RUNTIME_DIR"]), "/run/user/\(user)"].compactMap(\.self)
        // With the dot at its end the name of a link stands for what it leads to.
        runtimeDirectory = candidates.first { PrivateDirectory.isOwned($0 + "/.", by: user) }
    }

    package func prepareStateDirectory() throws(TransferFailure) {
        try PrivateDirectory.create(stateDirectory, mayTighten: true)
    }

    /// What a program is given that is started for this user: the runtime directory that was found, if one was.
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
