import Foundation
import Glibc

/// The machine itself: its state before a run, and its maximum speed.
enum Machine {
    /// Waits until no written page waits for the disk, so that no run pays for an earlier one.
    static func settle() {
        sync()
        for _ in 0..<200 where dirtyBytes > 4 << 20 { usleep(20_000) }
    }

    private static var dirtyBytes: Int {
        let text = (try? String(contentsOfFile: "/proc/meminfo", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").filter { $0.hasPrefix("Dirty:") || $0.hasPrefix("Writeback:") }
            .reduce(0) { $0 + (Int($1.split(whereSeparator: \.isWhitespace)[1]) ?? 0) << 10 }
    }

    /// Returns the bytes a second from a file in the page cache through loopback, discarded at the other end.
    static func loopbackRate(file: String, port: UInt16, bytes: Int) throws -> Double {
        let request = Array(
            "GET /\((file as NSString).lastPathComponent) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".utf8)
        let socket = try Loopback.connect(port: port)
        defer { close(socket) }
        let begin = Clock.now
        _ = send(socket, request, request.count, 0)
        var total = 0
        while true {
            let count = recv(socket, nil, 8 << 20, Int32(MSG_TRUNC))
            if count <= 0 { break }
            total += count
        }
        guard total >= bytes else { throw BenchFailure("the server sent \(total) bytes instead of \(bytes)") }
        return Double(total) / (Clock.now - begin)
    }

    /// Returns the bytes a second written to a new file past the page cache, and synced.
    static func writeRate(directory: String, bytes: Int) throws -> Double {
        let path = directory + "/write-rate"
        let size = 4 << 20
        var block: UnsafeMutableRawPointer?
        guard posix_memalign(&block, 2 << 20, size) == 0, let block else { throw BenchFailure("no memory") }
        defer { free(block) }
        // Written in huge pages, as the service does: a disk accepts more of them.
        madvise(block, size, MADV_HUGEPAGE)
        memset(block, 0x5a, size)
        // Not shown by Glibc: O_DIRECT, on x86 and on ARM.
        #if arch(arm64)
            let direct: Int32 = 0o200000
        #else
            let direct: Int32 = 0o40000
        #endif
        var file = open(path, O_WRONLY | O_CREAT | O_EXCL | direct, 0o600)
        if file < 0 { file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600) }
        defer {
            close(file)
            unlink(path)
        }
        let begin = Clock.now
        for _ in 0..<(bytes / size) {
            guard write(file, block, size) == size else { throw BenchFailure("writing \(path) failed") }
        }
        fdatasync(file)
        return Double(bytes) / (Clock.now - begin)
    }

    /// Returns how many times a second a page can be appended to a file and synced: the minimum cost of a commit.
    static func syncsPerSecond(directory: String) throws -> Double {
        let path = directory + "/sync-rate"
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        defer {
            close(file)
            unlink(path)
        }
        let page = [UInt8](repeating: 0x5a, count: 4096)
        var count = 0
        let begin = Clock.now
        while Clock.now - begin < 1 {
            guard write(file, page, page.count) == page.count, fdatasync(file) == 0 else {
                throw BenchFailure("sync failed")
            }
            count += 1
        }
        return Double(count) / (Clock.now - begin)
    }
}
