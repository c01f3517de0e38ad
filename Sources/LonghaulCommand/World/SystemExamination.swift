import LonghaulCore
import LonghaulIPC
import LonghaulSystem

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
        return Files.allows([.read, .write, .execute], path)
            ? Finding("state", .ok, "\(path) is private and can be written")
            : Finding("state", .fail, "\(path) cannot be written", remedy: "run: chmod u+rwx \(path)")
    }

    private func diskSpace(_ stateDirectory: String) -> Finding? {
        let path = existingParent(of: stateDirectory)
        let room: Int64?
        do throws(SystemError) {
            room = try Files.freeBytes(at: path)
        } catch {
            return Finding("disk", .warn, "the free space of \(path) cannot be told: \(LocalFiles.reason(error))")
        }
        guard let free = room else { return nil }
        let text = "\(HumanText.bytes(free)) free at \(path)"
        if free < 50 << 20 { return Finding("disk", .fail, text, remedy: "free some space") }
        return free < 1 << 30 ? Finding("disk", .warn, text, remedy: "free some space") : Finding("disk", .ok, text)
    }

    /// What is wrong with the owner or the mode of something that must be private.
    private func flaw(_ path: String) -> Finding? {
        let status: FileStatus
        do throws(SystemError) {
            status = try FileStatus(of: path, followsLinks: false)
        } catch {
            return Finding("state", .fail, "\(path) cannot be looked at: \(LocalFiles.reason(error))")
        }
        if !status.isOwn {
            return Finding(
                "state", .fail, "\(path) belongs to another user",
                remedy: "set HOME to your own directory, or XDG_STATE_HOME to one of your own")
        }
        guard !status.isPrivate else { return nil }
        return Finding("state", .fail, "\(path) is open to other users", remedy: "run: chmod 700 \(path)")
    }

    /// Why no directory can be made in this one; `nil` when one can. Permissions do not tell: it is tried.
    private func obstacle(in directory: String) -> String? {
        do throws(SystemError) {
            try Directory.tryMaking(in: directory)
            return nil
        } catch {
            return LocalFiles.reason(error)
        }
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
