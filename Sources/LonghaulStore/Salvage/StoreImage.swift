import LonghaulCore
import LonghaulSystem

/// The pages of a store and its log, read from the disk despite any damage. Read-only.
final class StoreImage {
    /// The page size of all stores.
    static let pageSize = 4_096
    private static let name = Array("SQLite format 3\0".utf8)

    let pageCount: UInt32
    private let file: Descriptor
    private let log: Descriptor?
    private let logged: LogImage?
    /// Whether the store is newer than each page in the rest of a cut log.
    private let outdatesLog: Bool
    /// Whether frames are missing at the end of the log.
    private let isLogCut: Bool
    /// Whether the newest commits are lost with the end of the log.
    let losesCommits: Bool

    /// Returns `nil` if the file is missing or cannot be read.
    init?(path: String) {
        // Without blocking: the name may belong to something else.
        guard let file = try? Descriptor(opening: path, [.reading, .atOnce]), let status = try? file.status(),
            status.kind == .regular
        else { return nil }
        self.file = file
        // Without a readable log, the store has only its pages.
        log = try? Descriptor(opening: path + "-wal", .reading)
        logged = log.flatMap(LogImage.init)
        if let index = LogIndex(path: path + "-shm"), index.names(moreThan: logged?.frames ?? 0, salt: logged?.salt) {
            isLogCut = true
            losesCommits = index.frames > index.copied
            // A log is begun again only after all of it was copied. A checkpoint of a part copies no page that a later frame changes, so
            // it makes the store no newer than the log.
            outdatesLog = index.frames == index.copied || (logged?.salt).map { $0 != index.salt } ?? false
        } else {
            (isLogCut, losesCommits, outdatesLog) = (false, false, false)
        }
        let stored = (status.size + Int64(Self.pageSize) - 1) / Int64(Self.pageSize)
        pageCount = max(UInt32(clamping: stored), logged?.places.keys.max() ?? 0)
    }

    /// Returns a page with its newest content and its age; pages count from 1. Returns `nil` if it cannot be read completely.
    func page(_ number: UInt32) -> (bytes: [UInt8], age: Int)? {
        guard number > 0, number <= pageCount else { return nil }
        if let place = logged?.places[number], !outdatesLog,
            let bytes = log?.bytes(at: Int64(place), count: Self.pageSize)
        {
            return (bytes, place)
        }
        return file.bytes(at: Int64(number - 1) * Int64(Self.pageSize), count: Self.pageSize).map { ($0, 0) }
    }

    /// Why SQLite must not open these files, or would miss part of them; `nil` if no such damage is found. Only a new store may be
    /// empty.
    func fault(isNew: Bool) -> String? {
        if logged?.hidesCommits ?? false { return "its log is damaged" }
        // SQLite would take the pages in the rest of the log for newer than those in the store.
        if losesCommits || (isLogCut && logged?.places.isEmpty == false) { return "the end of its log is missing" }
        guard let header = file.bytes(at: 0, count: 100) else {
            let isEmpty = (try? file.status())?.size == 0
            let hasLog = logged.map { !$0.places.isEmpty } ?? false
            if isEmpty { return hasLog ? "its log is there without it" : isNew ? nil : "it is empty" }
            return "it is cut short"
        }
        // https://www.sqlite.org/fileformat2.html#the_database_header
        let isSound =
            header.starts(with: Self.name) && header[16..<18].elementsEqual([0x10, 0])
            && header[18..<20].allSatisfy { (1...2).contains($0) } && header[20..<24].elementsEqual([0, 64, 32, 32])
            && [0, 4].contains(BigEndian.number(header, at: 44)) && BigEndian.number(header, at: 52) == 0
            && BigEndian.number(header, at: 56) <= 1 && header[72..<92].allSatisfy { $0 == 0 }
        return isSound ? nil : "its header is damaged"
    }
}

/// SQLite's integers.
enum BigEndian {
    static func number(_ bytes: [UInt8], at offset: Int) -> UInt32 {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    static func short(_ bytes: [UInt8], at offset: Int) -> Int {
        Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
    }
}

extension StoreImage {
    /// Pages that are free because their rows were deleted; none if the list is damaged.
    /// <https://www.sqlite.org/fileformat2.html#the_freelist> describes it.
    var freePages: Set<UInt32> {
        guard let header = page(1)?.bytes else { return [] }
        var free: Set<UInt32> = []
        var trunk = BigEndian.number(header, at: 32)
        while trunk != 0 {
            guard free.insert(trunk).inserted, let bytes = page(trunk)?.bytes else { return [] }
            let count = BigEndian.number(bytes, at: 4)
            guard count <= Self.pageSize / 4 - 2 else { return [] }
            for index in 0..<Int(count) {
                let leaf = BigEndian.number(bytes, at: 8 + 4 * index)
                guard leaf > 1, leaf <= pageCount, free.insert(leaf).inserted else { return [] }
            }
            trunk = BigEndian.number(bytes, at: 0)
        }
        return free.count == Int(BigEndian.number(header, at: 36)) ? free : []
    }
}
