package import LonghaulCore
package import LonghaulSystem

/// Checks the paths that a transfer names before it is submitted, so that a fault is not found only after its server
/// has answered. The command and apps share these checks and their sentences.
package enum LocalPaths {
    /// The longest file name, in bytes, of every file system of Linux (NAME_MAX).
    package static let longestName = 255

    /// Makes a directory, and parents that are missing, with the permissions that the user's directories have.
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

    /// Fails if no file can be made in the directory.
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

    /// Fails if the file system of the directory takes no file of this name, or of this length.
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

    /// Checks the name that a download gets. `nil` leaves the name to the server. A file that is there is a fault only with
    /// the policy to fail, and `remedy` says what to do about it. `length` is that of the file, if it is known.
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

    /// Checks the files of a transfer's connections: authorities, certificate, key, pins, cookies, and proxy script.
    package static func check(_ network: NetworkOptions) throws(TransferFailure) {
        for path in files(of: network) { try checkReadable(path) }
    }

    /// Whether `check` has anything to look at.
    package static func areNamed(by spec: TransferSpec) -> Bool {
        spec.download != nil || !files(of: spec.network).isEmpty
    }

    /// A relative path is left out: the session refuses it, since it means nothing to the service.
    private static func files(of network: NetworkOptions) -> [String] {
        var paths = [network.caFile, network.proxyCAFile, network.cookieFile, network.pinnedPublicKeys]
        if let certificate = network.clientCertificate { paths += [certificate.certificate, certificate.key] }
        if case .script(let place)? = network.proxySource { paths.append(place) }
        return paths.compactMap(\.self).filter { $0.hasPrefix("/") }
    }

    /// Checks the new place of a download, and creates its directory if it is missing.
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

    /// Checks all paths of a transfer, and makes the directory of a download if it is missing. The sources of an upload
    /// are inspected when they are named (`SourceFile.inspect`).
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

    /// Returns the faults of transfers by their places in the list. Transfers with the same directory and without a name,
    /// and with the same options, are checked once.
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
