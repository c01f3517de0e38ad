import Glibc
import LonghaulCore
import LonghaulStore

/// A separate directory for one test, deleted at the end, and helpers for tests of a store.
final class StoreWorld {
    let directory: String
    var path: String { directory + "/store.sqlite" }

    init() throws {
        var template = Array("/tmp/longhaul-store-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw TransferFailure(.fileFailed, "mkdtemp") }
        directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        for name in names { unlink(directory + "/" + name) }
        rmdir(directory)
    }

    /// The files of the directory, sorted.
    var names: [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names.filter { $0 != "." && $0 != ".." }.sorted()
    }

    func open() throws -> Store { try Store(path: path) }

    func bytes(_ path: String) throws -> [UInt8] {
        guard let file = fopen(path, "rb") else { throw TransferFailure(.fileFailed, path) }
        defer { fclose(file) }
        fseek(file, 0, SEEK_END)
        var bytes = [UInt8](repeating: 0, count: ftell(file))
        rewind(file)
        guard fread(&bytes, 1, bytes.count, file) == bytes.count else { throw TransferFailure(.fileFailed, path) }
        return bytes
    }

    func write(_ bytes: [UInt8], to path: String) throws {
        guard let file = fopen(path, "wb") else { throw TransferFailure(.fileFailed, path) }
        defer { fclose(file) }
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw TransferFailure(.fileFailed, path) }
    }

    /// Returns a copy of the present files in a separate world, as a kill would leave them.
    func afterKill() throws -> StoreWorld {
        let copy = try StoreWorld()
        for name in names { try copy.write(try bytes(directory + "/" + name), to: copy.directory + "/" + name) }
        return copy
    }
}

extension Store {
    func transaction(_ body: () throws -> Void) throws {
        try begin()
        try body()
        try commit()
    }

    /// Submits transfers with these numbers in one transaction.
    @discardableResult
    func submit(_ numbers: Range<Int>, change: (inout TransferRecord) -> Void = { _ in }) throws -> [TransferRecord] {
        var records = numbers.map { TransferRecord.sample($0) }
        try transaction {
            for index in records.indices {
                change(&records[index])
                try insert(&records[index], host: "host\(index % 7).example.org")
            }
        }
        return records
    }
}

extension TransferRecord {
    /// Returns a download as an app would submit it; the number makes it differ from others.
    static func sample(_ number: Int) -> TransferRecord {
        let now = WallTime(seconds: 1_700_000_000 + Int64(number))
        let spec = TransferSpec(
            work: .download(DownloadSpec(directory: "/home/ada/Videos", fileName: "episode-\(number).mp4")),
            method: "GET", url: "https://cdn.example.org/show/season/episode-\(number).mp4",
            headers: [HeaderField("Authorization", "Bearer 0123456789abcdef")])
        return TransferRecord(
            id: TransferID(now: now, random: (UInt64(number), UInt64(number))), spec: spec,
            state: .waiting(Waiting(.turn, since: now)), createdAt: now)
    }
}
