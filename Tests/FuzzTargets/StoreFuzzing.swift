import CSQLite
import Glibc
import LonghaulCore
import LonghaulStore

/// A valid store in which single numbers are changed, like damage that passes every check of pages.
enum StoreFuzzing {
    static func run(_ bytes: [UInt8]) {
        guard let input = try? Input.decoded(wireBytes: bytes), let file = template else { return }
        mkdir(directory, 0o700)
        let path = directory + "/store.sqlite"
        defer { remove(path) }
        guard write(file, to: path), change(path, input) else { return }
        do throws(TransferFailure) {
            try use(try Store(path: path))
        } catch {
            // SQLITE_ERROR: a statement does not match the tables. It would be reported again and again, and no store would be
            // quarantined.
            guard error.origin != .sqlite(Int(SQLITE_ERROR)), error.code != .diskFull else {
                preconditionFailure("\(input.changes): \(error)")
            }
        }
    }

    /// Each change sets one number in the store.
    struct Input: WireMessage {
        var changes: [(place: Int64, number: Int64)] = []

        init(_ changes: [(place: Int64, number: Int64)]) {
            self.changes = changes
        }

        func encode(into writer: inout WireWriter) {
            writer.messages(
                changes.map { SourcePin(size: 0, modified: $0.number, inode: UInt64($0.place), device: 0) }, at: 1)
        }

        static func decoded(from reader: inout WireReader) throws(WireError) -> Self { try Self(from: &reader) }

        init(from reader: inout WireReader) throws(WireError) {
            while let field = try reader.nextField(), changes.count < 4 {
                switch field {
                case 1:
                    let pair: SourcePin = try reader.message()
                    changes.append((Int64(bitPattern: pair.inode), pair.modified))
                default: try reader.skip()
                }
            }
        }
    }

    private static let places = [
        "pragma user_version = #", "update meta set value = # where name = 'historyNumber'",
        "update sqlite_sequence set seq = # where name = 'transfer'",
        "update sqlite_sequence set seq = # where name = 'event'",
        "update transfer set sequence = # where sequence = 2",
        "update transfer set priority = # where sequence in (1, 3)", "update transfer set until = # where sequence = 1",
        "update transfer set deadline = # where sequence = 3", "update transfer set stateCode = # where sequence = 4",
        "update history set number = # where sequence = 3", "update history set at = #",
        "update history set bytesDone = #",
        "update event set number = # where kind = 0", "update event set kind = #", "update task set endedAt = #",
        "update meta set value = # where name = 'limits'", "alter table event drop column detail",
    ]

    private static func change(_ path: String, _ input: Input) -> Bool {
        var handle: OpaquePointer?
        defer { sqlite3_close(handle) }
        guard sqlite3_open(path, &handle) == SQLITE_OK else { return false }
        for (place, number) in input.changes {
            let statement = places[Int(place.magnitude % UInt64(places.count))]
            // A pragma takes 32 bits; a change that violates a constraint is skipped.
            let value = statement.hasPrefix("pragma") ? Int64(Int32(clamping: number)) : number
            let text = statement.split(separator: "#", omittingEmptySubsequences: false).joined(
                separator: String(value))
            sqlite3_exec(handle, text, nil, nil, nil)
        }
        return true
    }

    /// Performs a session's operations on its store.
    private static func use(_ store: Store) throws(TransferFailure) {
        var queue = TurnQueue(limits: try store.limits())
        try store.queueEntries { entry in
            queue.add(
                TurnQueue.Entry(
                    id: entry.id, sequence: entry.sequence, priority: entry.priority, host: entry.host,
                    group: entry.group))
        }
        _ = queue.next(at: Samples.now)
        let records = try store.page(ListQuery()).records
        for record in records { _ = try store.history(of: record.id).map(\.number) }
        _ = (try store.events(after: 0, limit: 10), try store.tasks(after: nil, limit: 10))
        try store.begin()
        do throws(TransferFailure) {
            try add(to: store)
            for record in records {
                try store.appendHistory(record.id, at: Samples.now, event: "a", detail: "", bytesDone: 0)
            }
        } catch {
            try store.rollback()
            throw error
        }
        try store.commit()
    }

    private static func add(to store: Store) throws(TransferFailure) {
        var record = Samples.record(Samples.specs[0], .waiting(Samples.waiting), Samples.facts)
        record.id = TransferID(
            high: 0x0190_0000_0000_7000, low: 0x9000_0000_0000_0000 | UInt64(store.newestSequence & 0xFF))
        try store.insert(&record, host: "h")
        try store.appendHistory(record.id, at: Samples.now, event: "submitted", detail: "", bytesDone: 0)
        try store.addEvent(.allTransfersFinished, transfer: nil, wakes: true, at: Samples.now)
        try store.setTask(Samples.taskRecord)
    }

    /// In memory, with a separate directory for each process.
    private static let directory = "/dev/shm/longhaul-fuzz-\(getpid())"

    private static func remove(_ path: String) {
        for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
        rmdir(directory)
    }

    private static let template: [UInt8]? = try? {
        mkdir(directory, 0o700)
        let path = directory + "/template.sqlite"
        defer { remove(path) }
        do {
            let store = try Store(path: path)
            for number in 0..<6 {
                try store.begin()
                var record = Samples.record(
                    Samples.specs[number % Samples.specs.count], .waiting(Samples.waiting), Samples.facts)
                record.id = TransferID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | UInt64(number))
                try store.insert(&record, host: "h\(number % 2)")
                try store.appendHistory(record.id, at: Samples.now, event: "submitted", detail: "", bytesDone: 0)
                try store.addEvent(.transferFinished, transfer: record.id, wakes: true, at: Samples.now)
                try store.setTask(Samples.taskRecord)
                try store.setLimits(SessionLimits())
                try store.commit()
            }
        }
        return read(path)
    }()

    private static func read(_ path: String) -> [UInt8]? {
        guard let file = fopen(path, "rb") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        return Array(bytes.prefix(count))
    }

    private static func write(_ bytes: [UInt8], to path: String) -> Bool {
        guard let file = fopen(path, "wb") else { return false }
        defer { fclose(file) }
        return fwrite(bytes, 1, bytes.count, file) == bytes.count
    }

    static var examples: [[UInt8]] {
        places.indices.map { Input([(Int64($0), 7)]).wireBytes } + [Input([(0, 4), (5, 9)]).wireBytes]
    }
}
