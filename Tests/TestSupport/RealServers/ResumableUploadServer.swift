import Glibc
import LonghaulCore

/// The tus server `resumable-upload` from the tools' Python environment, with creation, expiration, termination,
/// checksums and concatenation. Its files stay when it is killed and started again.
package final class ResumableUploadServer: Sendable {
    /// Why it cannot be used here; `nil` when it can.
    package static var missing: String? { Tools.missing("resumable-upload", program) }

    private static var program: String { "\(Tools.directory)/venv/bin/resumable-upload" }
    private let directory: TemporaryDirectory
    private let process: Monitor<ServerProcess>
    package let port: Int

    package init() throws {
        directory = try TemporaryDirectory()
        let first = try Self.start(directory, port: nil)
        process = Monitor(first)
        port = first.port
    }

    deinit { process.value.kill() }

    /// The URL to create uploads at.
    package var creationURL: String { "http://127.0.0.1:\(port)/files" }

    /// The files of all uploads, finished or not.
    package var uploadedFiles: [String] {
        directory.names("uploads").map { directory.path("uploads/\($0)") }
    }

    /// Kills the server at once, as a crash does; active transfers break.
    package func kill() { process.value.kill() }

    /// Starts it again on the same port, over the same files.
    package func restart() throws {
        let again = try Self.start(directory, port: port)
        process.update { $0 = again }
    }

    private static func start(_ directory: TemporaryDirectory, port: Int?) throws -> ServerProcess {
        try ServerProcess.start(port: port, request: "OPTIONS /files", expecting: "Tus-Version") { port in
            var call = ProgramCall(
                program,
                [
                    "serve", "--host", "127.0.0.1", "--port", "\(port)", "--upload-dir", directory.path("uploads"),
                    "--db-path", directory.path("uploads.db"), "--enable-downloads", "--upload-expiry", "3600",
                    "--max-size", "1000000000", "--checksum-algorithms", "sha1,sha256,md5",
                ])
            call.directory = directory.path
            return call
        }
    }
}
