import Glibc
import LonghaulCore

/// A directory of one test, deleted with its contents when the test releases it.
package final class TemporaryDirectory: Sendable {
    package let path: String

    /// `inMemory`: on a fast disk, if there is one, for tests that sync thousands of times.
    package init(inMemory: Bool = false) throws {
        let usual = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        let parent = inMemory && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : usual
        var template = Array("\(parent)/longhaul-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Self.failure("cannot make a directory in \(parent)") }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { Self.remove(path) }

    /// Returns a path inside.
    package func path(_ name: String) -> String { "\(path)/\(name)" }

    package func makeDirectory(_ name: String) throws {
        guard mkdir(path(name), 0o700) == 0 else { throw Self.failure("cannot make \(name)") }
    }

    package func write(_ bytes: some Collection<UInt8>, to name: String) throws {
        guard let file = fopen(path(name), "we") else { throw Self.failure("cannot write \(name)") }
        let bytes = Array(bytes)
        let written = fwrite(bytes, 1, bytes.count, file)
        guard fclose(file) == 0, written == bytes.count else { throw Self.failure("cannot write \(name)") }
    }

    /// Writes content piece by piece.
    package func write(_ content: Content, to name: String) throws {
        guard let file = fopen(path(name), "we") else { throw Self.failure("cannot write \(name)") }
        content.forEachPiece { _ = fwrite($0.baseAddress, 1, $0.count, file) }
        guard fclose(file) == 0 else { throw Self.failure("cannot write \(name)") }
    }

    /// Sets the modification time to an hour ago: servers send no strong validator for a file that just changed.
    package func age(_ name: String) throws {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let past = timespec(tv_sec: now.tv_sec - 3_600, tv_nsec: 0)
        guard utimensat(AT_FDCWD, path(name), [past, past], 0) == 0 else { throw Self.failure("cannot age \(name)") }
    }

    package func read(_ name: String) throws -> [UInt8] {
        guard let file = fopen(path(name), "re") else { throw Self.failure("cannot read \(name)") }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        return bytes
    }

    package func exists(_ name: String) -> Bool { access(path(name), F_OK) == 0 }

    /// The names of the directory's entries, sorted.
    package func names(_ directory: String = "") -> [String] { Self.names(in: path(directory)).sorted() }

    /// Returns the names after partial files are gone: they are deleted a moment after the end of their transfer was reported.
    package func settledNames(_ directory: String = "") async throws -> [String] {
        let deadline = ContinuousClock.now + .patience
        while names(directory).contains(where: { $0.hasPrefix(".longhaul-") }), ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(5))
        }
        return names(directory)
    }

    /// Returns whether a directory is empty, or becomes empty soon: staged files are deleted a moment after the end of their transfer was
    /// reported.
    package func becomesEmpty(_ directory: String) async throws -> Bool {
        let deadline = ContinuousClock.now + .patience
        while !names(directory).isEmpty, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(5)) }
        return names(directory).isEmpty
    }

    /// Returns when the file has the given number of bytes.
    package func waitForBytes(of name: String, count: Int = 1) async throws {
        let deadline = ContinuousClock.now + .patience
        var status = stat()
        while stat(path(name), &status) != 0 || status.st_size < count {
            guard ContinuousClock.now < deadline else { throw Self.failure("nothing comes into \(name)") }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    package static func names(in directory: String) -> [String] {
        guard let handle = opendir(directory) else { return [] }
        defer { closedir(handle) }
        var names: [String] = []
        while let entry = readdir(handle) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    package static func remove(_ path: String) {
        // A link is removed, never followed.
        if unlink(path) == 0 { return }
        chmod(path, 0o700)
        for name in names(in: path) { remove("\(path)/\(name)") }
        rmdir(path)
    }

    private static func failure(_ message: String) -> TransferFailure {
        TransferFailure(.fileFailed, message, origin: .system(Int(errno)))
    }
}
