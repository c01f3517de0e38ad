import LonghaulCore
import LonghaulSystem

/// Files whose pages were lent to a socket (`sendfile`): until the peer has acknowledged them, changes to the files
/// change the sent bytes.
final class LentFiles {
    /// The maximum number of open files, to spare descriptors. Beyond it, a file is checked by its path.
    private static let capacity = 16

    private var files: [(source: SourceFile, descriptor: Descriptor?)] = []

    /// Keeps an open file.
    func keep(_ source: SourceFile, _ descriptor: Descriptor) {
        files.append((source, files.count < Self.capacity ? descriptor : nil))
    }

    /// Forgets all files, because the body is sent again.
    func forget() {
        files = []
    }

    /// The first file that changed since it was submitted.
    var changed: SourceFile? {
        files.first { source, descriptor in
            // A file that cannot be inspected any more has changed.
            let status = descriptor.map { try? $0.status() } ?? (try? FileStatus(of: source.path))
            return status.map { source.isPinned(as: SourcePin($0)) } != true
        }?.source
    }
}
