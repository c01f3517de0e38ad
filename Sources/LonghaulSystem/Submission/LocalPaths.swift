package import LonghaulCore

/// Checks the paths of a transfer before it is submitted, so that an error is found before its server has responded.
/// The command and apps share these checks and their messages.
package enum LocalPaths {
    /// The longest file name, in bytes, of every file system of Linux (NAME_MAX).
    package static let longestName = 255

    /// Creates a directory and its missing parents, with the permissions of the user's directories.
    package static func makeDirectory(_ path: String) throws(TransferFailure) {
        if isUnexpandedTilde(path) {
            throw TransferFailure(
                .destinationUnwritable,
                "There is no directory \(path): only shells expand ~. Write the path of the home directory in full.",
                origin: SystemError.missing.origin)
        }
        do throws(SystemError) {
            try Directory.make(path, permissions: 0o777)
        } catch {
            throw TransferFailure(
                .destinationUnwritable,
                "Could not create the directory \(path): \(reason(error)). Choose another directory.",
                origin: error.origin)
        }
    }

    package static func checkWritableDirectory(_ path: String) throws(TransferFailure) {
        guard Files.kind(path) == .directory else { throw noDirectory(path) }
        try checkWritable(path)
    }

    private static func noDirectory(_ path: String) -> TransferFailure {
        if Files.kind(path) == .regular {
            return TransferFailure(
                .destinationUnwritable, "\(path) is a file, not a directory. Choose a directory.",
                origin: SystemError.notDirectory.origin)
        }
        if !Files.isMissing(path) {
            return TransferFailure(
                .destinationUnwritable, "\(path) is not a directory. Choose a directory.",
                origin: SystemError.notDirectory.origin)
        }
        if isUnexpandedTilde(path) {
            return TransferFailure(
                .destinationUnwritable,
                "There is no directory \(path): only shells expand ~. Write the path of the home directory in full.",
                origin: SystemError.missing.origin)
        }
        return TransferFailure(
            .destinationUnwritable, "There is no directory \(path). Create it, or choose another.",
            origin: SystemError.missing.origin)
    }

    /// Fails if no file can be created in the directory.
    package static func checkWritable(_ directory: String) throws(TransferFailure) {
        do throws(SystemError) {
            try Files.check([.write, .execute], directory)
        } catch {
            throw TransferFailure(
                .destinationUnwritable,
                "Could not create files in \(directory): \(reason(error)). Choose another directory.",
                origin: error.origin)
        }
    }

    /// Fails if the file system of the directory does not support this name or this length.
    package static func checkAcceptance(
        of name: String, length: Int64? = nil, in directory: String
    ) throws(TransferFailure) {
        do throws(SystemError) {
            try Directory.tryFile(named: name, length: length, in: directory)
        } catch {
            throw TransferFailure(
                .destinationUnwritable,
                error == .fileTooLarge
                    ? "The file system of \(directory) does not support files of \(length ?? 0) bytes. Choose another directory."
                    : "The file system of \(directory) does not accept the name \"\(name)\": \(reason(error)). Choose another name.",
                origin: error.origin)
        }
    }

    /// Returns a suggested name, or the most similar one that the file system of the directory accepts.
    package static func acceptedName(for name: String, in directory: String) -> String {
        ([name] + SafeFileName.substitutes(for: name)).first {
            (try? Directory.tryFile(named: $0, in: directory)) != nil
        } ?? name
    }

    /// Checks the name of a download. `nil` leaves the name to the server. An existing file is an error only under the
    /// policy to fail, and `remedy` is the advice for it. `length` is the length of the file, if it is known.
    package static func checkFile(
        _ name: String?, in directory: String, mayExist: Bool, length: Int64? = nil, remedy: String
    ) throws(TransferFailure) {
        guard let name else {
            if let length { try checkAcceptance(of: "download", length: length, in: directory) }
            return
        }
        guard !name.isEmpty, name != ".", name != "..", !name.contains("/") else {
            throw TransferFailure(.invalidArgument, "\"\(name)\" is not a file name.")
        }
        guard name.utf8.count <= longestName else {
            throw TransferFailure(
                .invalidArgument,
                "A file name must have at most \(longestName) bytes, and this one has \(name.utf8.count). Shorten it.")
        }
        try checkAcceptance(of: name, length: length, in: directory)
        let path = (directory == "/" ? "" : directory) + "/" + name
        switch Files.kind(path) {
        case .directory:
            throw TransferFailure(.destinationExists, "\(path) is a directory. Name a file in it.")
        case .device, .pipe, .socket:
            throw TransferFailure(
                .destinationExists, "\(path) is a device, a pipe, or a socket. Choose another name.")
        default:
            guard !mayExist, Files.isTaken(path) else { return }
            throw TransferFailure(.destinationExists, "\(path) already exists. \(remedy)")
        }
    }

    package static func checkReadable(_ path: String) throws(TransferFailure) {
        do throws(SystemError) {
            try Files.check(.read, path)
        } catch {
            throw unreadable(path, error)
        }
    }

    package static func unreadable(_ path: String, _ error: SystemError) -> TransferFailure {
        if isUnexpandedTilde(path) {
            return TransferFailure(
                .sourceMissing,
                "Cannot read \(path): only shells expand ~. Write the path of the home directory in full.",
                origin: error.origin)
        }
        return TransferFailure(
            error == .missing ? .sourceMissing : .sourceUnreadable,
            "Cannot read \(path): \(reason(error)). Check its path and permissions.", origin: error.origin)
    }

    /// Fails if cookies could not be saved in the file.
    package static func checkCookieJar(_ path: String) throws(TransferFailure) {
        let file = PrivateFile(path)
        guard !file.isNull else { return }
        let directory: String
        do throws(SystemError) {
            try file.check()
            directory = try file.directory
        } catch {
            throw unsavedCookies(path, error)
        }
        // The file is replaced, so its directory must be writable too.
        try checkWritableDirectory(directory)
    }

    package static func unsavedCookies(_ path: String, _ error: SystemError) -> TransferFailure {
        TransferFailure(
            .fileFailed,
            error == .invalid
                ? "\(path) is a device, a pipe, or a socket. Choose another file for the cookies."
                : "Could not save the cookies in \(path): \(error.text). Choose another file.", origin: error.origin)
    }

    /// Checks the files of a transfer's connections: authorities, certificate, key, pins, cookies, and proxy script.
    package static func check(_ network: NetworkOptions) throws(TransferFailure) {
        for path in files(of: network) { try checkReadable(path) }
        if let jar = network.cookieJar, jar.hasPrefix("/") { try checkCookieJar(jar) }
        try checkFormats(of: network)
    }

    /// Returns whether `check` has any paths to inspect.
    package static func areNamed(by spec: TransferSpec) -> Bool {
        spec.download != nil || spec.network.cookieJar != nil || !files(of: spec.network).isEmpty
    }

    /// Relative paths are omitted: the session refuses them, because they have no meaning for the service.
    private static func files(of network: NetworkOptions) -> [String] {
        var paths = [network.caFile, network.proxyCAFile, network.cookieFile, network.pinnedPublicKeys]
        if let certificate = network.clientCertificate { paths += [certificate.certificate, certificate.key] }
        if case .script(let place)? = network.proxySource { paths.append(place) }
        return paths.compactMap(\.self).filter { $0.hasPrefix("/") }
    }

    /// Checks the new path of a download, and creates its directory if it is missing.
    package static func destination(
        _ directory: String, _ fileName: String?
    ) throws(TransferFailure) -> TransferAdjustment.Destination {
        if Files.isMissing(directory) { try makeDirectory(directory) }
        try checkWritableDirectory(directory)
        try checkFile(fileName, in: directory, mayExist: false, remedy: "Choose another name.")
        var destination = TransferAdjustment.Destination(directory: directory, fileName: fileName)
        destination.mountPoint = MountPoints(environment: ProcessEnvironment.current).mountPoint(of: directory)
        return destination
    }

    /// Checks all paths of a transfer, and creates the directory of a download if it is missing. The sources of an
    /// upload are inspected when they are named (`SourceFile.inspect`).
    package static func check(_ spec: TransferSpec) throws(TransferFailure) {
        try check(spec.network)
        guard case .download(let download) = spec.work, download.directory.hasPrefix("/") else { return }
        if Files.isMissing(download.directory) { try makeDirectory(download.directory) }
        try checkWritableDirectory(download.directory)
        // A repeated submission may find its own finished file.
        try checkFile(
            download.fileName, in: download.directory, mayExist: download.collision != .fail || spec.options.key != nil,
            length: download.expectedLength, remedy: "Choose another name, or overwrite or number the file.")
    }

    /// Returns the errors of transfers by their index. Transfers with the same directory and options, and without a
    /// name, are checked once.
    package static func faults(of specs: [TransferSpec]) -> [Int: TransferFailure] {
        var faults: [Int: TransferFailure] = [:]
        var last: (spec: TransferSpec, fault: TransferFailure?)?
        for (index, spec) in specs.enumerated() {
            let fault: TransferFailure?
            if let last, last.spec.namesTheSamePaths(as: spec) {
                fault = last.fault
            } else {
                do throws(TransferFailure) {
                    try check(spec)
                    fault = nil
                } catch {
                    fault = error
                }
                last = (spec, fault)
            }
            faults[index] = fault
        }
        return faults
    }

    /// Whether the path is missing because no shell has expanded its `~`.
    static func isUnexpandedTilde(_ path: String) -> Bool {
        guard let tilde = path.split(separator: "/").first(where: { $0 == "~" }) else { return false }
        return Files.isMissing(String(path[..<tilde.endIndex]))
    }

    private static func reason(_ error: SystemError) -> String { error.text.lowercased() }
}

extension TransferSpec {
    fileprivate func namesTheSamePaths(as other: TransferSpec) -> Bool {
        let (own, others) = (download, other.download)
        return own?.directory == others?.directory && own?.fileName == nil && others?.fileName == nil
            && network == other.network
    }
}
