import Glibc
import LonghaulCore
import Testing

@testable import LonghaulStore

/// Deleted data is in none of the files: the test searches the raw bytes.
@Suite struct StoreSecretTests {
    private static let secret = Array("canary-4711".utf8)

    private func submit(_ numbers: Range<Int>, to store: Store) throws -> [TransferRecord] {
        try store.submit(numbers) { record in
            record.spec.url = "https://ada:canary-4711@cdn.example.org/a?sig=canary-4711"
            record.spec.headers = [HeaderField("X-Api-Key", "canary-4711")]
            // Some are long enough for separate pages.
            if record.id.low.isMultiple(of: 5) {
                record.spec.work = .request(body: [UInt8](repeating: 7, count: 9_000) + Self.secret)
            }
        }
    }

    private func delete(_ records: some Sequence<TransferRecord>, of store: Store) throws {
        try store.transaction { for record in records { try store.delete(record.id) } }
    }

    private func canaries(in world: StoreWorld) throws -> Int {
        try world.names.reduce(0) { count, name in
            count + Self.count(of: Self.secret, in: try world.bytes(world.directory + "/" + name))
        }
    }

    private static func count(of part: [UInt8], in bytes: [UInt8]) -> Int {
        var count = 0
        var start = 0
        while let place = bytes[start...].firstIndex(of: part[0]) {
            if bytes[place...].starts(with: part) { count += 1 }
            start = place + 1
        }
        return count
    }

    @Test func deletedSecretsLeaveAllFiles() throws {
        let world = try StoreWorld()
        let store = try world.open()
        let records = try submit(0..<60, to: store)
        #expect(try canaries(in: world) > 100)
        try delete(records, of: store)
        try store.forgetDeleted()
        #expect(try canaries(in: world) == 0)
    }

    @Test func noCopyOfAMovedRowIsLeft() throws {
        let world = try StoreWorld()
        let store = try world.open()
        let records = try submit(0..<400, to: store)
        _ = try store.submit(400..<800)
        // Every second one, then the rest: rows move between pages as these become empty.
        try delete(records.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element), of: store)
        try delete(records.enumerated().filter { !$0.offset.isMultiple(of: 2) }.map(\.element), of: store)
        try store.forgetDeleted()
        #expect(try canaries(in: world) == 0)
    }

    @Test func theFileShrinks() throws {
        let world = try StoreWorld()
        let store = try world.open()
        let records = try submit(0..<2_000, to: store)
        let length = try world.bytes(world.path + "-wal").count
        try delete(records, of: store)
        try store.forgetDeleted()
        #expect(try world.bytes(world.path).count < length / 20)
        #expect(try world.bytes(world.path + "-wal").isEmpty)
    }

    @Test func replacedSecretsLeaveAllFiles() throws {
        let world = try StoreWorld()
        let store = try world.open()
        var record = try submit(0..<1, to: store)[0]
        record.spec = TransferRecord.sample(1).spec
        try store.transaction { try store.replaceSpec(of: record, host: "a") }
        try store.forgetDeleted()
        #expect(try canaries(in: world) == 0)
    }
}
