package import LonghaulCore

extension SourceFile {
    /// Opens a file to upload and pins it. `copy` reads a file of unknown size to its end: a pipe, or a file whose
    /// content is generated on reading. Fails with `sourceMissing` or `sourceUnreadable`, and as `copy` does.
    package static func inspect(
        path: String, copy: (_ file: Descriptor, _ path: String) throws(TransferFailure) -> SourceFile = refuse
    ) throws(TransferFailure) -> SourceFile {
        let absolute = try absolutePath(path)
        let file: Descriptor
        do throws(SystemError) {
            // open(2) would wait for the other end of a named pipe.
            file = try Descriptor(opening: absolute, [.reading, .atOnce])
        } catch {
            // open(2) fails with ENXIO, which does not help a user.
            if Files.kind(absolute) == .socket { throw unusable(absolute, .socket) }
            guard error.isMissing else { throw unreadable(absolute, error) }
            guard !LocalPaths.isUnexpandedTilde(absolute) else {
                throw TransferFailure(
                    .sourceMissing,
                    "There is no file \(absolute): only shells expand ~. Write the path of the home directory in full.",
                    origin: error.origin)
            }
            throw TransferFailure(
                .sourceMissing, "There is no file \(absolute). Check its path.", origin: error.origin)
        }
        let status = try status(of: file, absolute)
        switch status.kind {
        case .regular:
            if let pin = try pin(of: file, absolute, status) { return SourceFile(path: absolute, pin: pin) }
        case .pipe: break
        case .directory, .device, .socket, .link: throw unusable(absolute, status.kind)
        }
        return try copy(file, absolute)
    }

    private static func absolutePath(_ path: String) throws(TransferFailure) -> String {
        guard !path.isEmpty else {
            throw TransferFailure(.sourceMissing, "The path of a file to upload must not be empty.")
        }
        guard let absolute = ThisProcess.absolute(path) else {
            throw TransferFailure(
                .sourceMissing,
                "The working directory was removed, or its path is not UTF-8. Use the absolute path of \(path).")
        }
        return absolute
    }

    static func status(of file: Descriptor, _ path: String) throws(TransferFailure) -> FileStatus {
        do throws(SystemError) {
            return try file.status()
        } catch {
            throw unreadable(path, error)
        }
    }

    /// Returns `nil` if the file does not end at its reported size.
    private static func pin(
        of file: Descriptor, _ path: String, _ status: FileStatus
    ) throws(TransferFailure) -> SourcePin? {
        var status = status
        while !file.hasSize(in: status) {
            let later = try Self.status(of: file, path)
            // A file that a process is writing has another size by now.
            guard later.size != status.size else { return nil }
            status = later
        }
        return SourcePin(status)
    }

    /// Refuses a file that must be copied.
    package static func refuse(_ file: Descriptor, _ path: String) throws(TransferFailure) -> SourceFile {
        throw TransferFailure(
            .sourceUnreadable,
            "The size of \(path) is unknown, so it must be copied first. Upload it with a method of the session, which "
                + "copies it, or upload its bytes.")
    }

    private static func unusable(_ path: String, _ kind: FileStatus.Kind) -> TransferFailure {
        switch kind {
        case .directory:
            TransferFailure(.sourceUnreadable, "\(path) is a directory. Choose a file in it.")
        case .device:
            TransferFailure(
                .sourceUnreadable,
                "\(path) is a device, which may be endless. Write the part that you need to a file or a pipe.")
        case .socket: TransferFailure(.sourceUnreadable, "\(path) is a socket. Choose a file.")
        case .regular, .pipe, .link:
            TransferFailure(.sourceUnreadable, "\(path) cannot be uploaded. Choose a file.")
        }
    }

    private static func unreadable(_ path: String, _ error: SystemError) -> TransferFailure {
        TransferFailure(.sourceUnreadable, "Could not read \(path).", error: error)
    }
}

extension Descriptor {
    /// Returns whether the file ends at its reported size. procfs, cgroup, and debugfs report 0 bytes, sysfs reports a
    /// page, and a FUSE file system may report anything. Such files have no blocks, so only files without blocks have
    /// their last byte read, which may cost a request to a disk or a server.
    fileprivate func hasSize(in status: FileStatus) -> Bool {
        let start = status.allocated == 0 ? max(0, status.size - 1) : status.size
        return withUnsafeTemporaryAllocation(byteCount: 2, alignment: 1) { room in
            // A file that cannot be read here is read from its beginning, or fails there with the reason.
            (try? read(into: room, at: start)) == Int(status.size - start)
        }
    }
}
