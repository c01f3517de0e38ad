import LonghaulCore
import LonghaulIPC
import LonghaulSystem

/// The doctor's check of directories, disk, and libraries, which needs no service.
struct SystemExamination {
    let world: World

    func findings() -> [Finding] {
        let paths: LonghaulPaths
        do throws(TransferFailure) {
            paths = try LonghaulPaths(environment: world.environment)
        } catch {
            return [Finding("places", .fail, StateText.sentence(error).asSentence)]
        }
        let curl = LibcurlExamination(world).library
        let places = [state(paths.stateDirectory), diskSpace(paths.stateDirectory), curl].compactMap { $0 }
        return ReachExamination(environment: world.environment, paths: paths).findings() + places
            + readOnlyFiles(in: paths.stateDirectory)
            + [LogoutExamination(environment: world.environment).finding]
    }

    private func state(_ path: String) -> Finding {
        guard LocalFiles.exists(path) else {
            let parent = existingParent(of: path)
            return obstacle(in: parent).map {
                Finding(
                    "state", .fail, tr("Could not create \(path): \($0)."),
                    remedy: tr("Make \(parent) writable, or set XDG_STATE_HOME to another directory."))
            } ?? Finding("state", .ok, tr("Longhaul creates \(path) when it needs it."))
        }
        if let flaw = flaw(path) { return flaw }
        return Files.allows([.read, .write, .execute], path)
            ? Finding("state", .ok, tr("\(path) is private and writable."))
            : Finding("state", .fail, tr("\(path) is not writable."), remedy: tr("Run: chmod u+rwx \(path)"))
    }

    /// Returns findings for the first files that cannot be written. The service may not have tried yet, and only a change tells it.
    private func readOnlyFiles(in stateDirectory: String) -> [Finding] {
        let sessions = Directory.names(in: stateDirectory + "/sessions").sorted().map {
            stateDirectory + "/sessions/" + $0
        }
        let files =
            ["settings", "budget"].map { stateDirectory + "/" + $0 }
            + sessions.flatMap { session in
                [session]
                    + ["store.sqlite", "store.sqlite-wal", "store.sqlite-shm", "budget"].map { session + "/" + $0 }
            }
        return files.compactMap(readOnly).prefix(5).map { $0 }
    }

    private func readOnly(_ file: String) -> Finding? {
        do throws(SystemError) {
            try Files.check(.write, file)
            return nil
        } catch {
            guard error.isRefusal else { return nil }
            return Finding(
                "state", .fail, tr("\(file) is not writable: \(LocalFiles.reason(error))."),
                remedy: tr("Check its owner, its permissions, and its immutable attribute (lsattr)."))
        }
    }

    /// Returns the damage that the user has not acknowledged. A running service reports it, with what it finds itself.
    func damage() -> [Finding] {
        guard let paths = try? LonghaulPaths(environment: world.environment) else { return [] }
        let sessions = paths.stateDirectory + "/sessions"
        return Self.damage(in: paths.stateDirectory, of: nil)
            + Directory.names(in: sessions).sorted().compactMap { SessionID($0) }
            .flatMap { Self.damage(in: sessions + "/\($0)", of: $0) }
    }

    /// Returns a finding for the newest damaged file that the service has quarantined in a directory.
    private static func damage(in directory: String, of session: SessionID?) -> [Finding] {
        let names = Directory.names(in: directory)
        let newest = names.filter { name in
            name.contains(".damaged-") && !names.contains(name + ".noted")
                && !["-wal", "-shm", ".txt", ".noted"].contains { name.hasSuffix($0) }
        }.max()
        guard let place = newest.map({ directory + "/" + $0 }) else { return [] }
        // An unreadable report counts as missing.
        let report = try? Descriptor(opening: place + ".txt", [.reading, .atOnce, .noLink]).readBeginning(limit: 4_096)
        let sentence = report?.split(separator: 0x0A).first.flatMap { String(validating: $0, as: UTF8.self) }
        let failure = TransferFailure(
            .storeDamaged,
            sentence
                ?? "The queue was damaged and was quarantined as \(place). A new queue was created; downloaded files are untouched."
        )
        return [Doctor.trouble(failure, of: session)]
    }

    private func diskSpace(_ stateDirectory: String) -> Finding? {
        let path = existingParent(of: stateDirectory)
        let room: Int64?
        do throws(SystemError) {
            room = try Files.freeBytes(at: path)
        } catch {
            return Finding(
                "disk", .warn, tr("Could not get the free space at \(path): \(LocalFiles.reason(error))."))
        }
        guard let free = room else { return nil }
        let text = tr("\(HumanText.bytes(free)) free at \(path).")
        guard free < 1 << 30 else { return Finding("disk", .ok, text) }
        return Finding("disk", free < 50 << 20 ? .fail : .warn, text, remedy: tr("Free some space."))
    }

    /// Returns the finding for a wrong owner or mode of a file that must be private.
    private func flaw(_ path: String) -> Finding? {
        let status: FileStatus
        do throws(SystemError) {
            status = try FileStatus(of: path, followsLinks: false)
        } catch {
            return Finding("state", .fail, tr("Could not stat \(path): \(LocalFiles.reason(error))."))
        }
        if !status.isOwn {
            return Finding(
                "state", .fail, tr("\(path) belongs to another user."),
                remedy: tr("Set HOME or XDG_STATE_HOME to a directory that you own."))
        }
        guard !status.isPrivate else { return nil }
        return Finding(
            "state", .fail, tr("\(path) is accessible to other users."), remedy: tr("Run: chmod 700 \(path)"))
    }

    /// Returns why no directory can be created in this one; `nil` if one can. It tries, since permissions are not enough.
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
