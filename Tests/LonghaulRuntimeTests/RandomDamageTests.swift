import Glibc
import LonghaulCore
import TestSupport
import Testing

@testable import LonghaulRuntime
@testable import LonghaulStore
import LonghaulSystem

/// All kinds of damage at random positions of a store with several hundred transfers, as left by a kill.
/// `scripts/damage` repeats that many times and reports how much was saved.
@Suite struct RandomDamageTests {
    private static let transfers = 400

    private enum Kind: CaseIterable {
        case flippedBits, zeroedPage, exchangedPages, shorterFile, cutLog, flippedLog, editedNumbers, garbledPage
    }

    private struct Tally {
        var saved = 0
        var changed = 0
        var failed = 0
        var named = 0
        var all = 0

        static func += (left: inout Tally, right: Tally) {
            left.saved += right.saved
            left.changed += right.changed
            left.failed += right.failed
            left.named += right.named
            left.all += right.all
        }

        var line: String {
            func share(_ count: Int) -> String {
                let tenths = (count * 1_000 + all / 2) / max(all, 1)
                return "\(tenths / 10).\(tenths % 10) %"
            }
            let lost = all - saved - changed - failed - named
            return
                "saved \(share(saved)), changed by the damage \(share(changed)), kept as failed \(share(failed)), "
                + "only named in the report \(share(named)), lost without a trace \(share(lost)) of \(all)"
        }
    }

    @Test func sessionContinuesAfterRandomDamage() async throws {
        let rounds = Self.number("LONGHAUL_DAMAGES") ?? 16
        let seed = UInt64(Self.number("LONGHAUL_DAMAGE_SEED") ?? 1)
        let (files, records) = try Self.killedStore()
        var chance = SeededChance(seed: seed)
        var tallies: [String: Tally] = [:]
        var total = Tally()
        for round in 0..<rounds {
            let kind = Kind.allCases[round % Kind.allCases.count]
            let temporary = try TemporaryDirectory()
            try temporary.makeDirectory("session")
            for (name, bytes) in files { try temporary.write(bytes, to: "session/" + name) }
            try damage(kind, temporary, &chance)
            let tally = try await proceed(temporary, records, "round \(round), \(kind), \(chance)")
            total += tally
            tallies["\(kind)", default: Tally()] += tally
        }
        guard Self.number("LONGHAUL_DAMAGES") != nil else { return }
        for (kind, tally) in tallies.sorted(by: { $0.key < $1.key }) { print("damage: \(kind): \(tally.line)") }
        print("damage: the session continued in all \(rounds) rounds: \(total.line)")
    }

    private static func number(_ name: String) -> Int? {
        getenv(name).flatMap { Int(String(cString: $0)) }
    }

    /// Half of the commits are only in the log.
    private static func killedStore() throws -> (files: [String: [UInt8]], records: [TransferID: TransferRecord]) {
        let temporary = try TemporaryDirectory()
        var records: [TransferID: TransferRecord] = [:]
        var last: Store?
        for part in 0..<10 {
            // Closing merges the log into the file; that happens five times.
            if part <= 5 { last = nil }
            let store = try last ?? Store(path: temporary.path("store.sqlite"))
            last = store
            try store.begin()
            for number in part * transfers / 10..<(part + 1) * transfers / 10 {
                var record = sample(number)
                try store.insert(&record, host: "http://host\(number % 7).test:80")
                try store.appendHistory(
                    record.id, at: WallTime(seconds: 1), event: "submitted", detail: "", bytesDone: 0)
                records[record.id] = record
            }
            try store.commit()
        }
        #expect(try temporary.read("store.sqlite").count > 50_000 && temporary.read("store.sqlite-wal").count > 50_000)
        var files: [String: [UInt8]] = [:]
        for name in temporary.names() { files[name] = try temporary.read(name) }
        return withExtendedLifetime(last) { (files, records) }
    }

    private static func sample(_ number: Int) -> TransferRecord {
        let id = TransferID(now: WallTime(seconds: 1_700_000_000 + Int64(number)), random: (7, UInt64(number)))
        var spec = LoopWorld.download { $0.url = "http://host\(number % 7).test/show/episode-\(number).mp4" }
        if number.isMultiple(of: 3) { spec.options.key = "episode \(number)" }
        if number.isMultiple(of: 50) {
            spec = LoopWorld.request { $0.work = .request(body: [UInt8](repeating: 9, count: 20_000)) }
        }
        let state: TransferState = number.isMultiple(of: 2) ? .paused : .succeeded
        return TransferRecord(id: id, spec: spec, state: state, createdAt: SystemClock.wallTime())
    }

    private func damage(_ kind: Kind, _ temporary: TemporaryDirectory, _ chance: inout SeededChance) throws {
        let isOfLog = kind == .cutLog || kind == .flippedLog
        let name = "session/store.sqlite" + (isOfLog ? "-wal" : "")
        var bytes = try temporary.read(name)
        let pages = bytes.count / 4_096
        let page = Int.random(in: 0..<pages, using: &chance)
        switch kind {
        case .flippedBits, .flippedLog:
            for _ in 0..<Int.random(in: 1...8, using: &chance) {
                bytes[Int.random(in: bytes.indices, using: &chance)] ^= UInt8(
                    1 << Int.random(in: 0..<8, using: &chance))
            }
        case .zeroedPage: for place in page * 4_096..<(page + 1) * 4_096 { bytes[place] = 0 }
        case .garbledPage:
            for place in page * 4_096..<(page + 1) * 4_096 { bytes[place] = .random(in: 0...255, using: &chance) }
        case .exchangedPages:
            let other = Int.random(in: 0..<pages, using: &chance)
            for place in 0..<4_096 { bytes.swapAt(page * 4_096 + place, other * 4_096 + place) }
        case .shorterFile, .cutLog: bytes.removeLast(Int.random(in: 1..<bytes.count, using: &chance))
        case .editedNumbers: return try editNumbers(temporary.path(name), &chance)
        }
        try temporary.write(bytes, to: name)
    }

    private func editNumbers(_ path: String, _ chance: inout SeededChance) throws {
        let number = [Int64.min, .max, -1, 0, 1 << 40].randomElement(using: &chance) ?? 0
        let sequence = Int.random(in: 1...Self.transfers, using: &chance)
        let column =
            ["priority", "stateCode", "isEnded", "until", "deadline", "hasCleanup"].randomElement(using: &chance) ?? ""
        let edits = [
            "update transfer set \(column) = \(number) where sequence between \(sequence) and \(sequence + 5)",
            "pragma user_version = \(Int32(truncatingIfNeeded: number))",
            "update meta set value = \(number) where name = 'historyNumber'",
            "update sqlite_sequence set seq = \(number)",
            "update transfer set facts = zeroblob(30) where sequence = \(sequence)",
            "update transfer set state = x'0801' where sequence = \(sequence)",
            "update spec set spec = randomblob(100) where sequence = \(sequence)",
        ]
        let store = try Store(path: path)
        // Leaves the log, as the kill did.
        store.abandon()
        try store.connection.execute(edits.randomElement(using: &chance) ?? "")
    }

    /// Opens the session, reads everything, submits one more transfer, and repeats all that after a restart.
    private func proceed(
        _ temporary: TemporaryDirectory, _ records: [TransferID: TransferRecord], _ what: String
    ) async throws -> Tally {
        let layout = SessionLayout(directory: temporary.path("session"))
        let session = try LiveSession(layout)
        let found = try await session.list()
        #expect(try await session.submit(1).count == 1, "\(what)")
        let reply = await session.send(.reconcile)
        if case .reconciled = reply {} else { #expect(Bool(false), "\(what): \(reply)") }
        for snapshot in found { _ = await session.send(.history(snapshot.id)) }
        session.runtime.stop()
        let store = try Store(path: layout.store)
        try store.check()
        var tally = Tally(all: Self.transfers)
        let reports = temporary.names("session").filter { $0.hasSuffix(".txt") }.map {
            String(decoding: (try? temporary.read("session/" + $0)) ?? [], as: UTF8.self)
        }
        for (id, record) in records {
            guard let present = try store.record(id) else {
                if reports.contains(where: { $0.contains(id.description) }) { tally.named += 1 }
                continue
            }
            if case .failed = present.state {
                tally.failed += 1
            } else if present.spec == record.spec, present.state == record.state {
                tally.saved += 1
            } else {
                tally.changed += 1
            }
        }
        return tally
    }
}
