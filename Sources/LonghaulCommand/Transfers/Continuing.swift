import LonghaulCore

/// `--continue`: what another program left of a download is gone on with, if the server's answers prove it right.
struct Continuing: Sendable {
    static let note =
        "--continue resumes a partial file from curl, wget, aria2, or a browser. A checksum must verify the complete "
        + "file; without one, the server's file must not have changed and the end of the partial file must match. "
        + "Otherwise the command leaves the file untouched and reports why. If the partial file has another name, name "
        + "it: longhaul -c film.mp4.crdownload URL"

    /// The operand that names the file.
    let operand: String?
    /// The file that was named; `nil` for the one that has the download's name.
    private let file: String?
    private let world: World

    /// `nil` where nothing is to be gone on with: what may be replaced by something newer is none.
    init?(_ arguments: Arguments, _ world: World) throws(TransferFailure) {
        guard arguments.has(.goOn) || arguments.has(.continueAt), !arguments.has(.newer) else { return nil }
        if arguments.has(.range) { throw .usage("choose one of --continue and --range") }
        let named = arguments.values(.goOn).last { !$0.isEmpty }
        let candidate =
            named == nil
            ? arguments.operands.first { !$0.contains("://") && !MetalinkOrders.isMetalink($0) } : nil
        operand = candidate.flatMap { LocalFiles.exists(world.absolute($0)) ? $0 : nil }
        if let candidate, operand == nil, arguments.operands.count > 1 {
            throw .usage(
                "there is no file \"\(DisplayText.clean(candidate))\" to go on with; name one that is there, or the URL alone"
            )
        }
        file = (named ?? operand).map(world.absolute)
        self.world = world
    }

    /// Whether it is the file that has a download's name.
    var hasOwnName: Bool { file == nil }

    func checkSeveral() throws(TransferFailure) {
        guard hasOwnName else { throw .usage("--continue goes on with one file for one URL only") }
    }

    /// Whether what has the download's name is what it goes on with.
    func isAt(_ output: String?, in directory: String?) throws(TransferFailure) -> Bool {
        guard let path = try path(output, in: directory), LocalFiles.exists(path) else { return false }
        guard let file else { return true }
        return try self.path(file, in: nil) == path
    }

    private func path(_ output: String?, in directory: String?) throws(TransferFailure) -> String? {
        try DownloadPlace(output: output, directory: directory, overwrites: true, world: world).path
    }

    /// Has the download go on with the file, if it is there.
    func goOn(_ spec: inout TransferSpec) throws(TransferFailure) {
        // A Metalink's pieces tell more.
        guard let download = spec.download, !download.repairs else { return }
        guard let path = file ?? download.namedPath else { return }
        guard !hasOwnName || LocalFiles.exists(path) else { return }
        if LocalFiles.exists(path + ".aria2"), download.expectedDigest == nil, download.pieces == nil {
            throw TransferFailure(
                .destinationExists,
                "\(path) has holes, as \(path).aria2 beside it says, and is left as it was: give --checksum or --metalink, "
                    + "which prove the whole, or fetch all of it with --overwrite")
        }
        spec.download?.foreign = try LocalFiles.partial(path)
    }
}
