import Glibc
import LonghaulCore

/// Files of which pages were lent to a socket (`sendfile`): until the peer has answered, what they become is what it gets.
final class LentFiles {
    /// More would take too many descriptors from others: beyond this a file is looked up by its path.
    private static let capacity = 16

    private var files: [(source: SourceFile, descriptor: Int32?)] = []

    deinit { forget() }

    /// Takes an open file over.
    func keep(_ source: SourceFile, _ descriptor: Int32) {
        guard files.count < Self.capacity else {
            close(descriptor)
            return files.append((source, nil))
        }
        files.append((source, descriptor))
    }

    /// The body is sent anew.
    func forget() {
        for case (_, let descriptor?) in files { close(descriptor) }
        files = []
    }

    /// The first that is not what it was when it was submitted.
    var changed: SourceFile? {
        files.first { source, descriptor in
            var status = stat()
            let code = descriptor.map { fstat($0, &status) } ?? stat(source.path, &status)
            return code != 0 || SourcePin(status) != source.pin
        }?.source
    }
}
