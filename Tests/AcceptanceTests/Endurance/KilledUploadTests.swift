import LonghaulCore
import TestSupport
import Testing

extension Endurance {
    @Suite struct KilledUploadTests {
        private let kills = Endurance.size(12, small: 4)
        private let length: Int64 = Endurance.size(160 << 20, small: 32 << 20)

        /// The server's file equals the source, and at most one socket buffer per kill was wasted.
        ///
        /// The times are random: a number of bytes after the command's start. The next command starts when the server
        /// has noticed the broken connection; only then does this server keep what it received.
        @Test(.enabled(if: ResumableUploadServer.missing == nil, "\(ResumableUploadServer.missing ?? "")"))
        func aTusUploadOutlivesKillsOfCommandAndService() async throws {
            let server = try UploadTarget()
            let relay = try CountingRelay(to: server.port)
            let product = try Product()
            var chance = SeededChance(seed: walkSeed("killed upload"))
            try product.home.write(Content(seed: chance.seed, length: length), to: "work/film.bin")
            let url = "\(Transport.current.scheme)://127.0.0.1:\(relay.port)\(server.path)"
            var command = try product.start(
                "upload", "--tus", "--limit-rate", "12M", "--json", "film.bin", url)
            let submitted = try await command.waitForOutput(for: "an identifier") { JSONText($0)["id"] }
            var buffers = SocketMemory()
            var isShort = false
            for kill in 1...kills {
                let moment = killMoment(after: relay.value.up, of: length, left: kills - kill, &chance)
                // The relay passes no more bytes before the kill: on a busy machine the kill takes time, and the upload would end.
                relay.allow(up: moment)
                _ = try await relay.wait(for: "byte \(moment) of kill \(kill)") { $0.up >= moment ? true : nil }
                buffers.widen(try await .found(port: relay.port, toPort: true))
                try await product.killEverything()
                relay.allow(up: .max)
                _ = try await relay.wait(for: "the server to end with kill \(kill)") { $0.open == 0 ? true : nil }
                let ending = try await command.waitForEnd()
                #expect(isShort || ending != .exited(0), "the upload ended before kill \(kill)")
                // A command that only reads is enough to restart the service.
                isShort = kill % 4 == 0
                command = try product.start(isShort ? "list" : "watch")
            }
            try await product.succeed("watch", submitted)
            #expect(try await product.facts(submitted)["state"] == "succeeded")
            let sent = relay.value.up
            print(
                "killed upload: \(sent - length) bytes beyond \(length), heads included;",
                "one socket buffer is \(buffers)")
            let overhead = Endurance.overhead(of: length, connections: relay.value.connections)
            #expect(sent <= length + overhead + Int64(kills) * buffers.total)
            try await server.check("work/film.bin", of: product)
        }
    }
}

/// A server of another project if it supports the transport, otherwise the tests' own.
private struct UploadTarget {
    let port: Int
    let path: String
    private let real: ResumableUploadServer?
    private let own: NastyServer?
    private let tus = TusService(path: "/files/", keepingBytes: 0)

    init() throws {
        if Transport.current.isSecure {
            let server = try NastyServer(routes: ["/files/*": tus.route], keepingBodies: 0)
            (real, own, port, path) = (nil, server, server.port, "/files/")
        } else {
            let server = try ResumableUploadServer()
            (real, own, port, path) = (server, nil, server.port, "/files")
        }
    }

    /// There is one upload with bytes, and it equals this file. If a kill lost the response to a creation, the creation
    /// is repeated, and leaves an empty upload.
    func check(_ file: String, of product: Product) async throws {
        if let real {
            var sums: [String] = []
            for path in real.uploadedFiles { sums.append(try await sha256(file: path)) }
            let empty = try await sha256(file: "/dev/null")
            let wanted = try await sha256(file: product.home.path(file))
            #expect(sums.filter { $0 != empty } == [wanted])
        } else {
            withExtendedLifetime(own) {}
            let whole = tus.uploads.filter { $0.offset > 0 }.map(\.checksum)
            #expect(try whole == [Checksum(of: product.home.read(file))])
        }
    }
}
