import LonghaulCore

/// `--continue`: resumes a partial download of another program, if the server's responses prove that it is correct.
struct Continuing: Sendable {
    static let note =
        "--continue resumes a partial file from curl, wget, aria2, or a browser. A checksum must verify the complete "
        + "file; without one, the server's file must not have changed and the end of the partial file must match. "
        + "Otherwise the command leaves the file untouched and reports why. If the partial file has another name, name "
        + "it: longhaul -c film.mp4.crdownload URL"

    /// The operand that names the file.
    let operand: String?
    /// The named file; `nil` for the file with the download's name.
    private let file: String?
    private let world: World

    /// `nil` if nothing is resumed. With `--timestamping`, an existing file is complete.
    init?(_ arguments: Arguments, _ world: World) throws(TransferFailure) {
        guard arguments.has(.goOn) || arguments.has(.continueAt), !arguments.has(.newer) else { return nil }
        if arguments.has(.range) { throw .usage("Choose one of --continue and --range.") }
        let named = arguments.values(.goOn).last { !$0.isEmpty }
        let candidate =
            named == nil
            ? arguments.operands.first { !$0.contains("://") && !MetalinkOrders.isMetalink($0) } : nil
        operand = candidate.flatMap { LocalFiles.exists(world.absolute($0)) ? $0 : nil }
        if let candidate, operand == nil, arguments.operands.count > 1 {
            let shown = DisplayText.clean(candidate)
            guard let command = Habit.command(arguments.typed, .curl), !arguments.has(.continueAt) else {
                throw .usage("There is no file \"\(shown)\" to resume. Give only the URL.")
            }
            throw .usage("There is no file \"\(shown)\" to resume. For cookies, as with curl, type: \(command.line)")
        }
        file = (named ?? operand).map(world.absolute)
        self.world = world
    }

    /// Whether it is the file that has a download's name.
    var hasOwnName: Bool { file == nil }

    func checkSeveral() throws(TransferFailure) {
        guard hasOwnName else { throw .usage("--continue resumes one named file for one URL only.") }
    }

    /// Whether the file with the name of the download is the one to resume.
    func isAt(_ output: String?, in directory: String?) throws(TransferFailure) -> Bool {
        guard let path = try path(output, in: directory), LocalFiles.exists(path) else { return false }
        guard let file else { return true }
        return try self.path(file, in: nil) == path
    }

    private func path(_ output: String?, in directory: String?) throws(TransferFailure) -> String? {
        try DownloadPlace(output: output, directory: directory, overwrites: true, world: world).path
    }

    /// Makes the download resume the file, if that exists.
    func resume(_ spec: inout TransferSpec) throws(TransferFailure) {
        // A Metalink's pieces are better evidence.
        guard let download = spec.download, !download.repairs else { return }
        guard let path = file ?? download.namedPath else { return }
        guard !hasOwnName || LocalFiles.exists(path) else { return }
        if LocalFiles.exists(path + ".aria2"), download.expectedDigest == nil, download.pieces == nil {
            throw TransferFailure(
                .destinationExists,
                tr(
                    "\(path) may have holes, since \(path).aria2 is beside it. Verify the file with --checksum or --metalink, "
                        + "or replace it with --overwrite."))
        }
        spec.download?.foreign = try LocalFiles.partial(path)
    }
}
