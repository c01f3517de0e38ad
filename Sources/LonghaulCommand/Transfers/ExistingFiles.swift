import LonghaulCore

extension Option {
    static let skipExisting = Option(
        "skip-existing", value: "checksum|length|name", bare: "name", isGivenOnce: true,
        "Keep an existing file with a matching checksum, length, or name")
    /// With `--overwrite`, a name that the server suggests would decide which file is replaced. curl's `-O` does the same.
    static let urlName = Option("url-name", nil, "Ignore the names that servers suggest")
}

/// `--skip-existing`: an existing file that passes the test is not downloaded; any other existing file is replaced.
struct ExistingFiles: Sendable {
    private let test: ExistingFile.Test

    /// `nil` if nothing is skipped.
    init?(_ arguments: Arguments) throws(TransferFailure) {
        guard let text = arguments.value(.skipExisting) else { return nil }
        switch text {
        case "checksum": test = .digest
        case "length": test = .length
        case "name": test = .name
        default: throw .usage("--skip-existing must be checksum, length, or name, not \"\(DisplayText.clean(text))\".")
        }
        let others: [Option] = [.newer, .range, .goOn, .continueAt]
        if let other = others.first(where: arguments.has) {
            throw .usage("Choose one of --skip-existing and --\(other.long).")
        }
        let hasChecksums = [.checksum, .sha256, .checksumFile, .input].contains(where: arguments.has)
        if test == .digest, !hasChecksums {
            throw .usage("--skip-existing checksum needs --checksum or --checksum-file; length and name do not.")
        }
    }

    /// Makes the download keep an existing file that passes the test.
    func apply(to spec: inout TransferSpec) throws(TransferFailure) {
        guard let download = spec.download, let path = download.namedPath, LocalFiles.exists(path) else { return }
        if test == .digest, download.expectedDigest == nil {
            throw TransferFailure(
                .destinationExists, tr("\(path) exists, and there is no checksum to compare it with."))
        }
        spec.download?.existing = ExistingFile(size: try LocalFiles.partial(path).file.pin.size, test: test)
    }
}
