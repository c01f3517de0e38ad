/// A job on files.
package enum FileWork: Equatable, Sendable {
    /// Looks at the source files. Ends with `.sourcesInspected`.
    case inspectSources([String])
    /// Asks how many bytes a partial file holds, and whether its directory can be written. Ends with `.partialMeasured`; `.checkpoint` comes before where the file has got its name
    /// already, and so is on stable storage. With `copying` the partial file is made anew before, as a copy of that file on stable storage.
    /// Deletes `discarding` before, the other partial file, which is not needed any more, and performs `moving`. Nothing is done while
    /// `mountPoint` is not mounted (`notMounted`).
    case measurePartial(
        path: String, directory: String, copying: SourceFile? = nil, discarding: String? = nil,
        moving: PartialMove? = nil, mountPoint: String? = nil)
    /// Compares the pieces of a file with their digests. Ends with `.piecesChecked`.
    case checkPieces(PieceCheck)
    /// Verifies a complete partial file and gives it its name. Ends with `.placed`.
    case place(PlacePlan)
    /// Deletes files that are there; absent ones are fine. Ends with `.discarded`.
    case discard([String])
}

/// The move of a partial file whose download goes to another directory.
///
/// The first of `sources` that exists has the bytes, whatever is at the new path: a source is deleted only after the file there is
/// complete and on stable storage. So a move can be repeated, and redirected, after a crash at any point.
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
/// The engine checks the length and the digests, syncs the file, links it under the first free name without
/// replacing anything, and syncs the directory. Where there are no links it renames the file, and where that is refused it copies it; what
/// else the file system refuses is told and loses nothing. The partial file stays until `.discard`, so that doing it twice
/// finds by the inode that the name is already ours. A body that the engine holds is written first, where that is possible to a
/// file without a name, which carries the transfer's identifier for the same purpose and leaves no partial file; one that is in
/// the partial file already, and has its name, is not written again.
package struct PlacePlan: Equatable, Sendable {
    package var id: TransferID
    package var partialPath: String
    package var directory: String
    package var fileName: String
    /// Whether the server or the URL suggested the name, so that one that the file system accepts may replace it.
    package var isNameSuggested = false
    package var collision: TransferSpec.Collision
    package var length: Int64?
    package var digests: [Digest]
    /// Whether no other process can have worked on the transfer: then the engine knows whether there is a partial file.
    package var isOwn = false
    /// What is taken from the permissions of the file; `nil` takes what this process has.
    package var creationMask: Int?
    /// When the file counts as changed last; `nil` for the moment at which it was written.
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

/// A download that has got its name.
package struct PlacedFile: Equatable, Sendable {
    package var path: String
    /// Whether the partial file, or another hidden one, is there as well, and is to be tidied.
    package var leavesPartialFile: Bool
    /// The operations on the complete file that its file system refused, with their errors. `nil` if there were none.
    package var refusals: String?

    package init(path: String, leavesPartialFile: Bool) {
        self.path = path
        self.leavesPartialFile = leavesPartialFile
    }
}
