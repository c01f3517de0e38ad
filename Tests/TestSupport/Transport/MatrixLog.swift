import Glibc

/// Notes what ran over which transport, for the table that `scripts/test` prints. The file's name is in
/// `LONGHAUL_MATRIX`; each line is libcurl, test, transport, result and reason, with tabs between them.
package enum MatrixLog {
    package enum Result: Sendable {
        case passed
        case failed
        case notHere(String)
        /// It uses HTTP without declaring its transports.
        case unplaced
    }

    private static let file: Int32 = {
        guard let path = getenv("LONGHAUL_MATRIX") else { return -1 }
        return open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    }()

    private static let libcurl = getenv("LONGHAUL_MATRIX_LIBCURL").map { String(cString: $0) } ?? "libcurl"

    package static func record(_ test: String, _ transport: String, _ result: Result) {
        guard file >= 0 else { return }
        let outcome =
            switch result {
            case .passed: "passed\t"
            case .failed: "failed\t"
            case .notHere(let reason): "not here\t\(reason)"
            case .unplaced: "unplaced\t"
            }
        // One call for a line: lines of processes at once do not mix.
        let line = Array("\(libcurl)\t\(test)\t\(transport)\t\(outcome)\n".utf8)
        _ = write(file, line, line.count)
    }
}
