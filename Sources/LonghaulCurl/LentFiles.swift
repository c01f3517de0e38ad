import LonghaulCore
import LonghaulSystem

/// Files of which pages were lent to a socket (`sendfile`): until the peer has answered, what they become is what it gets.
final class LentFiles {
    /// More would take too many descriptors from others: beyond this a file is looked up by its path.
    private static let capacity = 16

    private var files: [(source: SourceFile, descriptor: Descriptor?)] = []

    /// Holds an open file.
    func keep(_ source: SourceFile, _ descriptor: Descriptor) {
        files.append((source, files.count < Self.capacity ? descriptor : nil))
    }

    /// The body is sent anew.
    func forget() {
        files = []
    }

    /// The first that is not what it was when it was submitted.
    var changed: SourceFile? {
        files.first { source, descriptor in
            // One that cannot be looked at any more is not what it was.
            let status = descriptor.map { try? $0.status() } ?? (try? FileStatus(of: source.path))
            return status.map(SourcePin.init) != source.pin
        }?.source
    }
}
