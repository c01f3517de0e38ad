import LonghaulIPC
import LonghaulSystem

/// The doctor's check of the sockets and directories by which programs find the service.
struct ReachExamination {
    let environment: [String: String]
    let paths: LonghaulPaths

    func findings() -> [Finding] {
        [socket(), runtimeDirectory(), activation()].compactMap { $0 }
    }

    /// The socket in the state directory. This check only connects.
    private func socket() -> Finding? {
        guard LocalFiles.exists(paths.stateDirectory) else { return nil }
        let path = ServiceTraces.address(paths) ?? paths.socket
        if LocalFiles.exists(path), let finding = flaw(path) { return finding }
        switch ServiceTraces.connect(paths) {
        case .success(let socket):
            return UnixSocket.peerUser(of: socket) == ThisProcess.user
                ? Finding("socket", .ok, tr("The service listens at \(path)."))
                : Finding("socket", .fail, tr("Another user listens at \(path)."), remedy: tr("Run: rm \(path)"))
        case .failure(let error) where error == .wouldBlock:
            return Finding("socket", .warn, tr("\(path) is busy: too many programs wait for the service."))
        case .failure(let error):
            if ServiceTraces.isLocked(paths) == true { return unheard(path) }
            switch error {
            case .missing: return Finding("socket", .ok, tr("The service creates \(path) when it starts."))
            case .connectionRefused:
                return Finding(
                    "socket", .note, tr("\(path) is left from a service that was killed. The next service replaces it.")
                )
            default:
                return Finding("socket", .fail, tr("Could not connect to \(path): \(LocalFiles.reason(error))."))
            }
        }
    }

    /// The finding if another service has the lock and no socket, so that commands would wait until their time limit.
    private func unheard(_ path: String) -> Finding {
        Finding(
            "socket", .fail,
            tr("Another longhauld process is using \(paths.stateDirectory) but is not listening at \(path)."),
            remedy: ServiceTraces.holder(paths).map { tr("To end it, on \($0.host) run: kill \($0.process)") }
                ?? tr("End it."))
    }

    /// The finding for a runtime directory that `su` or `sudo` left set, or that was removed at logout.
    private func runtimeDirectory() -> Finding? {
        guard let named = environment["XDG_RUNTIME_DIR"], !named.isEmpty else { return nil }
        guard !PrivateDirectory.isOwned(named + "/.") else { return nil }
        return Finding(
            "runtime", .note, tr("XDG_RUNTIME_DIR is \(named), which is not a directory that you own."),
            remedy: paths.runtimeDirectory.map { tr("Longhaul uses \($0) instead.") }
                ?? tr("Longhaul does not need it."))
    }

    /// The finding about the unit's socket, on which systemd listens for a service that is not running.
    private func activation() -> Finding? {
        guard let path = paths.activationSocket else { return nil }
        if LocalFiles.exists(path) { return flaw(path) }
        guard let runtime = paths.runtimeDirectory, LocalFiles.exists(runtime + "/systemd/private"),
            LogoutExamination.Units(environment) == .enabled
        else { return nil }
        return Finding(
            "systemd", .warn,
            tr("longhaul.socket is enabled, and \(path) is missing. The service starts without systemd."),
            remedy: tr("Run: systemctl --user restart longhaul.socket"))
    }

    /// Returns the finding for a wrong owner, mode, or type of a file that must be private.
    private func flaw(_ path: String) -> Finding? {
        // A missing socket has no flaw.
        guard let status = try? FileStatus(of: path, followsLinks: false) else { return nil }
        if status.kind != .socket {
            return Finding("socket", .fail, tr("\(path) is not a socket."), remedy: tr("Run: rm -r \(path)"))
        }
        if !status.isOwn {
            return Finding(
                "socket", .fail, tr("\(path) belongs to another user."), remedy: tr("Ask that user to run: rm \(path)"))
        }
        guard !status.isPrivate else { return nil }
        return Finding(
            "socket", .fail, tr("\(path) is accessible to other users."), remedy: tr("Run: chmod 600 \(path)"))
    }
}
