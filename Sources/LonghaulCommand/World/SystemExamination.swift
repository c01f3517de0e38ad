import Glibc
import LonghaulCore
import LonghaulIPC

/// The doctor's look at directories, disk and libraries, which needs no service.
struct SystemExamination {
    let world: World

    func findings() -> [Finding] {
        let paths: LonghaulPaths
        do throws(TransferFailure) {
            paths = try LonghaulPaths(environment: world.environment)
        } catch {
            return [Finding("places", .fail, StateText.sentence(error))]
        }
        let curl = LibcurlExamination(world).library
        let places = [state(paths.stateDirectory), diskSpace(paths.stateDirectory), curl].compactMap { $0 }
        return ReachExamination(environment: world.environment, paths: paths).findings() + places
            + [LogoutExamination(environment: world.environment).finding]
    }

    private func state(_ path: String) -> Finding {
        guard LocalFiles.exists(path) else {
            let parent = existingParent(of: path)
            return obstacle(in: parent).map {
                Finding(
                    "state", .fail, "\(path) cannot be made: \($0)",
                    remedy: "allow writing in \(parent), or set XDG_STATE_HOME to another directory")
            } ?? Finding("state", .ok, "\(path) is made when it is needed")
        }
        if let flaw = flaw(path) { return flaw }
        return access(path, R_OK | W_OK | X_OK) == 0
            ? Finding("state", .ok, "\(path) is private and can be written")
            : Finding("state", .fail, "\(path) cannot be written", remedy: "run: chmod u+rwx \(path)")
    }

    private func diskSpace(_ stateDirectory: String) -> Finding? {
        var status = statvfs()
        let path = existingParent(of: stateDirectory)
        guard statvfs(path, &status) == 0 else {
            return Finding("disk", .warn, "the free space of \(path) cannot be told: \(LocalFiles.reason(errno))")
        }
        // What is no disk, such as /proc, has no size.
        guard status.f_blocks > 0 else { return nil }
        let free = Int64(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
        let text = "\(HumanText.bytes(free)) free at \(path)"
        if free < 50 << 20 { return Finding("disk", .fail, text, remedy: "free some space") }
        return free < 1 << 30 ? Finding("disk", .warn, text, remedy: "free some space") : Finding("disk", .ok, text)
    }

    /// What is wrong with the owner or the mode of something that must be private.
    private func flaw(_ path: String) -> Finding? {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            return Finding("state", .fail, "\(path) cannot be looked at: \(LocalFiles.reason(errno))")
        }
        if status.st_uid != getuid() {
            return Finding(
                "state", .fail, "\(path) belongs to another user",
                remedy: "set HOME to your own directory, or XDG_STATE_HOME to one of your own")
        }
        guard status.st_mode & 0o077 != 0 else { return nil }
        return Finding("state", .fail, "\(path) is open to other users", remedy: "run: chmod 700 \(path)")
    }

    /// Why no directory can be made in this one; `nil` when one can. Permissions do not tell: it is tried.
    private func obstacle(in directory: String) -> String? {
        var template = Array((directory + "/.longhaul-doctor-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { return LocalFiles.reason(errno) }
        rmdir(template)
        return nil
    }

    private func existingParent(of path: String) -> String {
        var path = path
        while !LocalFiles.exists(path), let slash = path.lastIndex(of: "/") {
            path = slash == path.startIndex ? "/" : String(path[..<slash])
            if path == "/" { break }
        }
        return path
    }
}
