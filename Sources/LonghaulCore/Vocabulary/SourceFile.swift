/// A file to upload, pinned to its state at the submission.
///
/// If a source changes afterwards, the transfer fails with `sourceChanged`: two versions are never mixed.
package struct SourceFile: Equatable, Sendable {
    /// The absolute path.
    package var path: String
    /// The state of the file at the submission.
    package var pin: SourcePin
    /// Whether the session owns the file (it was staged in the session directory) and deletes it at the end.
    package var isStaged: Bool
    /// For a staged copy, the file that the app submitted.
    package var origin: CopyOnWrite<SourceOrigin>?
    /// The mount point that held the file at submission, as in `DownloadSpec`.
    package var mountPoint: String?

    /// Initializes a file with its state.
    package init(path: String, pin: SourcePin, isStaged: Bool = false) {
        self.path = path
        self.pin = pin
        self.isStaged = isStaged
    }

    /// Returns whether a file is still the submitted one. A drive or share may return with another device number, and FAT and exFAT
    /// renumber their files at each mount, so only the size and the time count there.
    package func isPinned(as found: SourcePin) -> Bool {
        found == pin || mountPoint != nil && found.size == pin.size && found.modified == pin.modified
    }
}

/// The file of which a session has a copy. The copy is sent, whatever happens to the file.
package struct SourceOrigin: Equatable, Sendable {
    /// The absolute path.
    package var path: String
    /// As in `SourcePin`. The size is that of the copy.
    package var modified: Int64

    /// Initializes an origin.
    package init(path: String, modified: Int64) {
        self.path = path
        self.modified = modified
    }
}

/// Attributes that distinguish versions of a file.
package struct SourcePin: Equatable, Sendable {
    /// Length in bytes.
    package var size: Int64
    /// Time of last modification, in nanoseconds since 1970.
    package var modified: Int64
    /// Inode number.
    package var inode: UInt64
    /// Device number.
    package var device: UInt64

    /// Initializes the four values of `stat(2)`.
    package init(size: Int64, modified: Int64, inode: UInt64, device: UInt64) {
        self.size = size
        self.modified = modified
        self.inode = inode
        self.device = device
    }
}
