import Foundation
import Glibc

/// A directory of this run, with everything that the cases share; deleted at the end.
final class Place {
    let path: String
    private var outputs = 0
    private var clearing: [pid_t] = []
    /// The directory of this build's programs.
    let products: String

    init(products: String) throws {
        let parent = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/var/tmp"
        let template = "\(parent)/longhaul-bench.XXXXXX"
        var bytes = Array(template.utf8CString)
        guard mkdtemp(&bytes) != nil else { throw BenchFailure("\(parent) cannot be written: set TMPDIR") }
        path = String(decoding: bytes.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        self.products = products
        for name in ["www", "www/small"] { try makeDirectory(path + "/" + name) }
    }

    func remove() {
        try? clear()
        try? FileManager.default.removeItem(atPath: path)
    }

    func makeDirectory(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    /// Returns an empty directory for the files of one run. It stays until `clear`.
    func freshOutput() throws -> String {
        outputs += 1
        let output = path + "/out-\(outputs)"
        try makeDirectory(output)
        return output
    }

    /// Deletes all written files, which costs nothing before they reach the disk.
    ///
    /// Not between runs that write many small files: a file system that has just deleted many inodes allocates new ones
    /// slowly.
    func clear() throws {
        try beginClearing()
        try endClearing()
    }

    /// Deletes the files in the background.
    func beginClearing() throws {
        try endClearing()
        let written = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasPrefix("out-") }
        guard !written.isEmpty else { return }
        // Half a million files: in C, and by one program for each processor.
        let share = (written.count + 1) / 2
        clearing = try stride(from: 0, to: written.count, by: share).map { first in
            let part = written[first..<min(first + share, written.count)]
            return try ChildRun(arguments: ["rm", "-rf"] + part.map { path + "/" + $0 }).start()
        }
    }

    private func endClearing() throws {
        let children = clearing
        clearing = []
        for child in children {
            var status: Int32 = 0
            guard waitpid(child, &status, 0) == child, status == 0 else {
                throw BenchFailure("\(path) cannot be emptied")
            }
        }
    }

    /// Returns a file of this many bytes that stays in the page cache; created once.
    func bigFile(bytes: Int) throws -> String {
        let file = path + "/www/big-\(bytes >> 20)"
        guard !FileManager.default.fileExists(atPath: file) else { return file }
        let block = [UInt64](repeating: 0, count: 1 << 20).map { _ in UInt64.random(in: .min ... .max) }
        let descriptor = open(file, O_WRONLY | O_CREAT, 0o644)
        defer { close(descriptor) }
        for _ in 0..<(bytes / (8 << 20)) {
            guard block.withUnsafeBytes({ write(descriptor, $0.baseAddress, $0.count) }) == 8 << 20 else {
                throw BenchFailure("\(path) has no room for a file of \(bytes >> 20) MiB: set TMPDIR")
            }
        }
        // A server trusts the ETag of a file only some time after its last change.
        var times = [timeval(tv_sec: time(nil) - 3600, tv_usec: 0), timeval(tv_sec: time(nil) - 3600, tv_usec: 0)]
        utimes(file, &times)
        return file
    }

    /// Returns this many files of 16 KiB, all different, named f00001 and so on; created once.
    func smallFiles(_ count: Int) throws -> [String] {
        let (length, step) = (16 << 10, 8)
        let bits = (0..<(length + count * step) / 8).map { _ in UInt64.random(in: .min ... .max) }
        return try (1...count).map { number in
            let name = String(format: "f%05d", number)
            let file = path + "/www/small/" + name
            guard access(file, F_OK) != 0 else { return name }
            let descriptor = open(file, O_WRONLY | O_CREAT, 0o644)
            defer { close(descriptor) }
            let written = bits.withUnsafeBytes {
                write(descriptor, $0.baseAddress?.advanced(by: (number - 1) * step), length)
            }
            guard written == length else { throw BenchFailure("\(path) has no room: set TMPDIR") }
            return name
        }
    }

    /// Writes lines to a file and returns its path.
    func list(_ name: String, _ lines: some Sequence<String>) throws -> String {
        let file = path + "/" + name
        try (lines.joined(separator: "\n") + "\n").write(toFile: file, atomically: false, encoding: .utf8)
        return file
    }
}
