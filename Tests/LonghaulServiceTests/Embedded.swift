import Glibc
import LonghaulClient
import LonghaulCore
import LonghaulIPC
import TestSupport

/// An app that runs a session in its own process, in the home of a product.
struct Embedded {
    let process: ChildProcess

    /// Starts it; `upload` is its kind, file, URL, and rate in bytes a second.
    init(in product: Product, _ session: SessionID = .films, upload: [String] = []) async throws {
        let directory = product.home.path("state/longhaul/sessions/\(session)")
        process = try ChildProcess(product.call("embedded-app", [directory] + upload))
        try await process.waitForOutput(containing: "\n")
    }

    var isOpen: Bool { process.output.hasPrefix("open") }

    func stop() async throws {
        process.signal(SIGTERM)
        try await process.waitForEnd()
    }

    func kill() async throws {
        process.signal(SIGKILL)
        try await process.waitForEnd()
    }
}

/// A tus server that counts bytes, and a file to send.
struct UploadWorld {
    static let length: Int64 = 16 << 20
    /// More than the bytes that a killed sender can have in flight at the rates used here, and far less than a restart costs.
    static let socketBuffers: Int64 = 4 << 20

    let server: NastyServer
    let tus = TusService(path: "/files/", keepingBytes: 0)
    let content: Content
    let file: String

    init(in product: Product, seed: UInt64 = 1) throws {
        server = try NastyServer(routes: ["/files/*": tus.route], keepingBodies: 0)
        content = Content(seed: seed, length: Self.length)
        try product.home.write(content, to: "work/film.bin")
        file = product.home.path("work/film.bin")
    }

    /// The arguments of an app that uploads the file slowly.
    func upload(rate: Int = 8 << 20) -> [String] { ["tus", file, server.url("/files/"), String(rate)] }

    /// Stalls the next body at this byte until the latch opens, so that it cannot end before a test has acted.
    func stall(after bytes: Int64, by latch: Latch) { tus.script("PATCH", .stall(after: bytes, latch)) }

    /// The number of body bytes that arrived, including repeated ones.
    var received: Int64 { server.requests.reduce(0) { $0 + $1.bodyLength } }

    func wait(for bytes: Int64) async throws {
        _ = try await server.wait(for: "\(bytes) bytes") { log in
            log.reduce(0) { $0 + $1.bodyLength } >= bytes ? true : nil
        }
    }

    /// Waits for the end, and returns whether the upload equals this file.
    func waitForEnd() async throws -> Bool {
        _ = try await server.wait(for: "the whole file") { [tus] _ in
            tus.uploads.first?.offset == Self.length ? true : nil
        }
        return tus.uploads.count == 1 && tus.uploads.first?.checksum == content.checksum
    }
}
