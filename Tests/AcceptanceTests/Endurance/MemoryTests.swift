import Glibc
import LonghaulCore
import TestSupport
import Testing

extension Endurance {
    /// The most memory that the service ever had does not depend on how long a body is.
    @Suite struct MemoryTests {
        private static let small: Int64 = 10 << 20
        private static let largest: Int64 = 4 << 30
        private let large = Endurance.size(largest, small: 512 << 20)
        private static let allowedGrowth: Int64 = 16 << 20
        /// The pieces of all writers of a process (`WriterBudget`), which a disk slower than the connections fills.
        private static let pieces: Int64 = 52 << 20
        private static let room = freeSpace > largest + (1 << 30)

        @Test(.enabled(if: room, "5 GiB of disk are needed, and there are \(freeSpace >> 20) MiB"))
        func downloadMemoryDoesNotGrowWithLength() async throws {
            let small = try await Self.peak(downloading: Self.small)
            let most = try await Self.peak(downloading: large)
            print("memory: download of 10 MiB \(small >> 10) KiB, of \(large >> 20) MiB \(most >> 10) KiB")
            #expect(most - small < Self.allowedGrowth + Self.pieces)
        }

        @Test func uploadMemoryDoesNotGrowWithLength() async throws {
            let small = try await Self.peak(uploading: Self.small)
            let most = try await Self.peak(uploading: large)
            print("memory: upload of 10 MiB \(small >> 10) KiB, of \(large >> 20) MiB \(most >> 10) KiB")
            #expect(most - small < Self.allowedGrowth)
        }

        private static func peak(downloading length: Int64) async throws -> Int64 {
            let product = try Product()
            let server = try NastyServer(routes: [
                "/film.bin": Route(.file(Content(seed: 1, length: length), etag: "\"v1\""))
            ])
            try await product.succeed("download", "--quiet", server.url("/film.bin"), limit: .seconds(240))
            var facts = stat()
            #expect(stat(product.home.path("work/film.bin"), &facts) == 0 && facts.st_size == length)
            return try peak(of: product)
        }

        private static func peak(uploading length: Int64) async throws -> Int64 {
            let product = try Product()
            let sink = try ByteSink()
            try product.home.write([], to: "work/film.bin")
            #expect(truncate(product.home.path("work/film.bin"), off_t(length)) == 0)
            try await product.succeed("upload", "--quiet", "film.bin", sink.url, limit: .seconds(240))
            #expect(sink.bodyLength == length)
            return try peak(of: product)
        }

        private static func peak(of product: Product) throws -> Int64 {
            let id = try #require(product.serviceID)
            let status = String(decoding: try bytes(of: "/proc/\(id)/status"), as: UTF8.self)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
            let kibibytes = try #require(line.split(separator: " ").compactMap { Int64($0) }.first)
            return kibibytes << 10
        }

        private static func bytes(of path: String) throws -> [UInt8] {
            guard let file = fopen(path, "re") else { throw TransferFailure(.fileFailed, "cannot read \(path)") }
            defer { fclose(file) }
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            return Array(buffer[..<fread(&buffer, 1, buffer.count, file)])
        }

        private static var freeSpace: Int64 {
            var facts = statvfs()
            guard let home = try? TemporaryDirectory(), statvfs(home.path, &facts) == 0 else { return 0 }
            return Int64(facts.f_bavail) * Int64(facts.f_frsize)
        }
    }
}

/// Accepts any body, ignores its content, and counts its bytes.
private final class ByteSink: Sendable {
    private let server: NastyServer
    private let count = Monitor<Int64>(0)

    init() throws {
        let count = count
        server = try NastyServer(keepingBodies: 0)
        server.setRoute(
            "/film.bin",
            Reply(status: 201).with { reply in
                reply.onBody = { bytes in count.update { $0 += Int64(bytes.count) } }
            })
    }

    var url: String { server.url("/film.bin") }
    var bodyLength: Int64 { count.value }
}
