import LonghaulIPC
import LonghaulSystem

/// The doctor's look at the ways by which programs find the service.
struct ReachExamination {
    let environment: [String: String]
    let paths: LonghaulPaths

    func findings() -> [Finding] {
        [socket(), runtimeDirectory(), activation()].compactMap { $0 }
    }

    /// The socket in the state directory. It is connected to, not spoken over: the service's own check does that.
    private func socket() -> Finding? {
        guard LocalFiles.exists(paths.stateDirectory) else { return nil }
        let path = ServiceTraces.address(paths) ?? paths.socket
        if LocalFiles.exists(path), let finding = flaw(path) { return finding }
        switch ServiceTraces.connect(paths) {
        case .success(let socket):
            return UnixSocket.peerUser(of: socket) == ThisProcess.user
                ? Finding("socket", .ok, "the service listens at \(path)")
                : Finding("socket", .fail, "another user listens at \(path)", remedy: "run: rm \(path)")
        case .failure(let error) where error == .wouldBlock:
            return Finding("socket", .warn, "\(path) is busy: too many programs wait for the service")
        case .failure(let error):
            if ServiceTraces.isLocked(paths) == true { return unheard(path) }
            switch error {
            case .missing: return Finding("socket", .ok, "\(path) is made when the service starts")
            case .connectionRefused:
                return Finding(
                    "socket", .note, "\(path) is left from a service that was killed; the next one replaces it")
            default:
                return Finding("socket", .fail, "\(path) cannot be reached: \(LocalFiles.reason(error))")
            }
        }
    }

    /// A service has the lock and is not to be reached: commands would wait for it in vain.
    private func unheard(_ path: String) -> Finding {
        let holder = ServiceTraces.holder(paths)
        return Finding(
            "socket", .fail,
            "a longhauld\(holder.map { " (\($0.sentence))" } ?? "") keeps \(paths.stateDirectory) and does not listen at \(path)",
            remedy: holder.map { "end it on \($0.host): kill \($0.process)" } ?? "end it")
    }

    /// What `su` and `sudo` leave behind, or what was removed at a logout.
    private func runtimeDirectory() -> Finding? {
        guard let named = environment["XDG_RUNTIME_DIR"], !named.isEmpty else { return nil }
        guard !PrivateDirectory.isOwned(named + "/.") else { return nil }
        let instead = paths.runtimeDirectory.map { "\($0) is used instead" } ?? "it is not needed"
        return Finding("runtime", .note, "XDG_RUNTIME_DIR is \(named), no directory of yours; \(instead)")
    }

    /// The socket of the unit, where systemd listens for a service that does not run.
    private func activation() -> Finding? {
        guard let path = paths.activationSocket else { return nil }
        if LocalFiles.exists(path) { return flaw(path) }
        guard let runtime = paths.runtimeDirectory, LocalFiles.exists(runtime + "/systemd/private"),
            LogoutExamination.Units(environment) == .enabled
        else { return nil }
        return Finding(
            "systemd", .warn, "longhaul.socket is enabled, and \(path) is gone; the service starts without systemd",
            remedy: "run: systemctl --user restart longhaul.socket")
    }

    /// What is wrong with the owner, the mode or the kind of something that must be private.
    private func flaw(_ path: String) -> Finding? {
        // What is not there has no flaw.
        guard let status = try? FileStatus(of: path, followsLinks: false) else { return nil }
        if status.kind != .socket {
            return Finding("socket", .fail, "\(path) is no socket", remedy: "run: rm -r \(path)")
        }
        if !status.isOwn {
            return Finding("socket", .fail, "\(path) belongs to another user", remedy: "have it removed: rm \(path)")
        }
        guard !status.isPrivate else { return nil }
        return Finding("socket", .fail, "\(path) is open to other users", remedy: "run: chmod 600 \(path)")
    }
}
