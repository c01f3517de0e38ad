/// The facts of a record to compare with files and live transfers.
package struct ReconcileRecord: Equatable, Sendable {
    package struct Download: Equatable, Sendable {
        package var directory: String
        package var partialPath: String
        /// Other paths at which partial files may exist: of a kept version, and in former directories.
        package var otherPaths: [String] = []
        var partialPaths: [String] { [partialPath] + otherPaths }

        /// Whether the path is that of the current version, whose file has the same name in each directory.
        func mayHoldVersion(_ path: String) -> Bool { path.baseName == partialPath.baseName }
        /// Whether the record states that the partial file has bytes.
        package var hasBytes: Bool
        /// The path of the finished file.
        package var finalPath: String?
        package var finalLength: Int64?

        package init(
            directory: String, partialPath: String, hasBytes: Bool, finalPath: String?, finalLength: Int64?
        ) {
            self.directory = directory
            self.partialPath = partialPath
            self.hasBytes = hasBytes
            self.finalPath = finalPath
            self.finalLength = finalLength
        }
    }

    package var id: TransferID
    package var state: TransferState
    package var cleanup: Set<CleanupTask>
    package var download: Download?
    /// Bodies in the session's own directory.
    package var staged: [String]

    package init(
        id: TransferID, state: TransferState, cleanup: Set<CleanupTask> = [], download: Download? = nil,
        staged: [String] = []
    ) {
        self.id = id
        self.state = state
        self.cleanup = cleanup
        self.download = download
        self.staged = staged
    }

    package init(_ record: TransferRecord) {
        self.init(
            id: record.id, state: record.state, cleanup: record.facts.cleanup,
            staged: record.spec.sources.filter(\.isStaged).map(\.path))
        guard case .download(let spec) = record.spec.work else { return }
        let facts = record.facts.download
        download = Download(
            directory: spec.directory,
            partialPath: facts.files.path(of: record.id, in: spec.directory),
            hasBytes: facts.validators != nil && record.facts.bytesDone > 0, finalPath: facts.finalPath,
            finalLength: record.facts.bytesTotal)
        download?.otherPaths =
            (facts.files.otherPath(of: record.id, in: spec.directory).map { [$0] } ?? [])
            + facts.files.formerPaths(of: record.id)
    }
}

/// The state of a path.
package enum FilePresence: Equatable, Sendable {
    case present(length: Int64)
    case absent
    /// It cannot be inspected, so nothing is concluded from it.
    case unknown
}

/// A file that has the name of a partial file.
package struct FoundPartial: Equatable, Sendable {
    package var id: TransferID
    package var path: String

    package init(id: TransferID, path: String) {
        self.id = id
        self.path = path
    }
}
