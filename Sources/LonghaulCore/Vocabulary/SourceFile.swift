/// A file whose bytes are to be uploaded, pinned to what it was when the transfer was submitted.
///
/// A source that changes afterwards ends the transfer with `sourceChanged`: two versions are never joined.
package struct SourceFile: Equatable, Sendable {
    /// The absolute path.
    package var path: String
    /// What the file was when it was submitted.
    package var pin: SourcePin
    /// Whether the session owns the file (it was staged in the session directory) and deletes it at the end.
    package var isStaged: Bool

    /// Names a file and what it was.
    package init(path: String, pin: SourcePin, isStaged: Bool = false) {
        self.path = path
        self.pin = pin
        self.isStaged = isStaged
    }
}

/// What tells one version of a file from another.
package struct SourcePin: Equatable, Sendable {
    /// Length in bytes.
    package var size: Int64
    /// Time of last modification, in nanoseconds since 1970.
    package var modified: Int64
    /// Inode number.
    package var inode: UInt64
    /// Device number.
    package var device: UInt64

    /// Takes the four values of `stat(2)`.
    package init(size: Int64, modified: Int64, inode: UInt64, device: UInt64) {
        self.size = size
        self.modified = modified
        self.inode = inode
        self.device = device
    }
}
