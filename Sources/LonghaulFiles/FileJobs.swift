import LonghaulCore
import LonghaulSystem

/// Inspects a file for an upload.
func inspectSource(_ path: String, mountPoint: String?) -> Result<SourcePin, TransferFailure> {
    Result { () throws(TransferFailure) in
        do throws(TransferFailure) {
            let status = try sending(path) { () throws(SystemError) in try FileStatus(of: path) }
            guard status.kind == .regular else {
                throw TransferFailure(
                    .sourceUnreadable, "\(path) is not a regular file. Choose another file to upload.")
            }
            try sending(path) { () throws(SystemError) in try Files.check(.read, path) }
            return SourcePin(status)
        } catch {
            if let mountPoint { try checkMounted(mountPoint, holding: Directory.of(path)) }
            throw error
        }
    }
}

/// Returns the length of a partial file if its directory is mounted and can hold the finished file. `prepare` runs once
/// the directory is mounted.
func measurePartialFile(
    path: String, directory: String, mountPoint: String?, _ prepare: () throws(TransferFailure) -> Void = {}
) -> [EngineEvent] {
    do throws(TransferFailure) {
        if let mountPoint { try checkMounted(mountPoint, holding: directory) }
        try prepare()
        guard let status = try partialStatus(path: path, directory: directory) else {
            return [.partialMeasured(.success(nil))]
        }
        let measured = EngineEvent.partialMeasured(.success(status.size))
        // A file is synced before it gets a second name.
        return status.linkCount > 1 ? [.checkpoint(status.size), measured] : [measured]
    } catch {
        return [.partialMeasured(.failure(error))]
    }
}

private func checkMounted(_ mountPoint: String, holding directory: String) throws(TransferFailure) {
    do throws(SystemError) {
        // An automount needs the dot: stat(2) mounts nothing on the last component of a path.
        _ = try FileStatus(of: directory + "/.")
    } catch  where error.isLackOfDevice {
        throw TransferFailure(
            .notMounted, "The file system at \(mountPoint) does not respond: \(error.text). Mount it again.",
            origin: error.origin)
    } catch {
        // If the directory is missing on a mounted file system, `partialStatus` reports that.
    }
    let table: MountTable
    do throws(SystemError) {
        table = try .current()
    } catch .missing {
        return
    } catch {
        throw systemFailure(error)
    }
    guard table.isMounted(mountPoint) else {
        throw TransferFailure(.notMounted, "No file system is mounted at \(mountPoint). Mount it.")
    }
}

private func partialStatus(path: String, directory: String) throws(TransferFailure) -> FileStatus? {
    try receiving(directory) { () throws(SystemError) in
        guard try FileStatus(of: directory).kind == .directory else { throw .notDirectory }
        try Files.check([.write, .execute], directory)
    }
    let status: FileStatus
    do throws(SystemError) {
        status = try FileStatus(of: path, followsLinks: false)
    } catch .missing {
        return nil
    } catch {
        throw destinationFailure(error, path: path)
    }
    try checkOwner(status, path: path)
    return status
}

func checkOwner(_ status: FileStatus, path: String) throws(TransferFailure) {
    guard isOwnFile(status, path: path) else {
        throw TransferFailure(
            .destinationUnwritable, "\(path) exists and is not a regular file of this user. Remove it.")
    }
}

/// Returns whether a partial file belongs to this user: another owner could read or change its bytes.
///
/// On disks without users (FAT, exFAT, NTFS, CIFS), all files belong to the user for whom the disk was mounted. The
/// owner of a directory is always trusted, because that user can replace every file in it.
func isOwnFile(_ status: FileStatus, path: String) -> Bool {
    status.kind == .regular
        && (status.owner == ThisProcess.effectiveUser
            || (try? FileStatus(of: Directory.of(path)))?.owner == status.owner)
}

/// Deletes files; missing files are not an error. Tries all, and returns the first failure.
func discardFiles(_ paths: [String]) -> TransferFailure? {
    var failure: TransferFailure?
    for path in paths {
        do throws(SystemError) {
            Files.discard(PlacePlan.hiddenPath(besides: path))
            try Files.remove(path)
            KnownPartials.forget(path)
        } catch .missing {
            KnownPartials.forget(path)
        } catch {
            failure = failure ?? destinationFailure(error, path: path)
        }
    }
    return failure
}

/// Brings a partial file to stable storage. `length` was written before: only that much is vouched for.
func syncCheckpoint(of file: PartialTarget, length: Int64) -> Result<Int64, TransferFailure> {
    Result { () throws(TransferFailure) in
        try receiving(file.path) { () throws(SystemError) in
            try file.descriptor?.syncContent()
            // The file's name must be there too after a power loss, or its bytes cannot be found.
            try Directory.sync(Directory.of(file.path))
        }
        return length
    }
}
