/// A job on files.
package enum FileWork: Equatable, Sendable {
    /// Inspects the source files. A file that cannot be inspected because its mount point, by its path, is not mounted is reported as
    /// `notMounted`. Ends with `.sourcesInspected`.
    case inspectSources([String], mountPoints: [String: String] = [:])
    /// Measures a partial file, and checks whether its directory can be written. Ends with `.partialMeasured`.
    ///
    /// With `copying`, it first recreates the partial file as a synced copy of that file. Otherwise it first deletes `discarding`,
    /// the other partial file, which is no longer needed, and performs `moving`. It does nothing while `mountPoint` is not mounted
    /// (`notMounted`). If the file already has its final name, and so is on stable storage, `.checkpoint` comes first.
    case measurePartial(
        path: String, directory: String, copying: SourceFile? = nil, discarding: String? = nil,
        moving: PartialMove? = nil, mountPoint: String? = nil)
    /// Compares the pieces of a file with their digests. Ends with `.piecesChecked`.
    case checkPieces(PieceCheck)
    /// Verifies a complete partial file and moves it into place. Ends with `.placed`.
    case place(PlacePlan)
    /// Deletes files; missing ones are ignored. Ends with `.discarded`.
    case discard([String])
}

/// The move of a partial file whose download goes to another directory.
///
/// The first of `sources` that exists has the bytes, whatever the new path contains: a source is deleted only after the file there is
/// complete and on stable storage. Therefore a move can be repeated, and redirected, after a crash at any point.
package struct PartialMove: Equatable, Sendable {
    package var sources: [String]
    /// Files to delete after the move. A failure to delete them is ignored.
    package var leftovers: [String]

    package init(from sources: [String], leftovers: [String]) {
        self.sources = sources
        self.leftovers = leftovers
    }
}

/// How a complete download becomes the finished file.
///
/// The engine checks the length and the digests, syncs the file, links it under the first free name without replacing anything, and
/// syncs the directory. Without support for links it renames the file, and if that fails too it copies it. Other errors of the file
/// system are reported and lose no data.
///
/// The partial file stays until `.discard`, so that a repetition recognizes its own file by the inode. A body in the engine's memory is
/// written first, if possible to an unnamed file (`O_TMPFILE`), which carries the transfer's identifier for the same purpose and leaves
/// no partial file. A body that is in the partial file already, with its final name, is not written again.
package struct PlacePlan: Equatable, Sendable {
    package var id: TransferID
    package var partialPath: String
    package var directory: String
    package var fileName: String
    /// Whether the server or the URL suggested the name, so that a name that the file system accepts may replace it.
    package var isNameSuggested = false
    package var collision: TransferSpec.Collision
    package var length: Int64?
    package var digests: [Digest]
    /// Whether no other process can have worked on the transfer: then the engine knows whether a partial file exists.
    package var isOwn = false
    /// The permission bits to clear (umask); `nil` for those of this process.
    package var creationMask: Int?
    /// The modification time of the file; `nil` for the time of writing.
    package var modified: WallTime?
    /// The signature that the file must have.
    package var signature: DetachedSignature?

    package init(
        id: TransferID, partialPath: String, directory: String, fileName: String, collision: TransferSpec.Collision,
        length: Int64?, digests: [Digest]
    ) {
        self.id = id
        self.partialPath = partialPath
        self.directory = directory
        self.fileName = fileName
        self.collision = collision
        self.length = length
        self.digests = digests
    }
}

/// A download that was moved into place.
package struct PlacedFile: Equatable, Sendable {
    package var path: String
    /// Whether the partial file, or another hidden one, remains to be cleaned up.
    package var leavesPartialFile: Bool
    /// The operations on the complete file that its file system refused, with their errors. `nil` if there were none.
    package var refusals: String?

    package init(path: String, leavesPartialFile: Bool) {
        self.path = path
        self.leavesPartialFile = leavesPartialFile
    }
}
