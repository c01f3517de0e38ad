import LonghaulCore
import LonghaulSystem

/// The uploads of a photo library, on disk. Each line is one change, and the last line of a key counts.
struct PhotoUploadRecord {
    /// A change of a resource's upload, or of an asset.
    enum Change: Equatable {
        /// The system has a job for the resource.
        case submitted(String)
        case uploaded(String)
        /// Another job may succeed.
        case failed(String, TransferFailure.Code)
        /// Another job would fail as well.
        case refused(String, TransferFailure.Code)
        /// The resource has no job and no result.
        case forgotten(String)
        /// Each resource of this version of the asset has a job or a result.
        case covered(asset: String, version: Int64)
    }

    private(set) var submitted: Set<String> = []
    private(set) var uploaded: Set<String> = []
    private(set) var failures: [String: (code: TransferFailure.Code, count: Int)] = [:]
    private(set) var refused: [String: TransferFailure.Code] = [:]
    private var covered: [String: Int64] = [:]
    private let path: String

    /// How often a resource is submitted if its uploads fail.
    static let limit = 5

    /// Reads the record of a directory. A process that died while it wrote leaves a line without its last word, which is ignored.
    init(in directory: String) throws(TransferFailure) {
        path = directory + "/uploads"
        try PrivateDirectory.create(directory, mayTighten: true)
        let text = String(decoding: try Self.read(path), as: UTF8.self)
        for line in text.split(separator: "\n") {
            if let change = Change(line) { apply(change) }
        }
    }

    private static func read(_ path: String) throws(TransferFailure) -> [UInt8] {
        do throws(SystemError) {
            return try Descriptor(opening: path, [.reading, .noLink]).readAll(limit: 1 << 28)
        } catch .missing {
            return []
        } catch {
            throw error.failure("read", path)
        }
    }

    /// Whether the resource needs a job.
    func needsJob(_ key: String) -> Bool {
        !submitted.contains(key) && !uploaded.contains(key) && refused[key] == nil
            && (failures[key]?.count ?? 0) < Self.limit
    }

    func isCovered(_ asset: String, _ version: Int64) -> Bool { covered[asset] == version }

    /// Adds the changes, and returns when they are on disk.
    mutating func add(_ changes: [Change]) throws(TransferFailure) {
        guard !changes.isEmpty else { return }
        do throws(SystemError) {
            let file = try Descriptor(opening: path, [.writing, .appending, .making, .noLink])
            // The line of a process that died has no end.
            try file.write("\n" + changes.map { $0.line + " .\n" }.joined())
            try file.sync()
        } catch {
            throw error.failure("write", path)
        }
        for change in changes { apply(change) }
    }

    private mutating func apply(_ change: Change) {
        guard let key = change.key else {
            if case .covered(let asset, let version) = change { covered[asset] = version }
            return
        }
        submitted.remove(key)
        refused[key] = nil
        switch change {
        case .submitted: submitted.insert(key)
        case .uploaded: uploaded.insert(key)
        case .failed(_, let code): failures[key] = (code, (failures[key]?.count ?? 0) + 1)
        case .refused(_, let code): refused[key] = code
        case .forgotten: failures[key] = nil
        case .covered: break
        }
        if needsJob(key) { covered[PhotoResource.assetIdentifier(ofKey: key)] = nil }
    }
}

extension PhotoUploadRecord.Change {
    var key: String? {
        switch self {
        case .submitted(let key), .uploaded(let key), .failed(let key, _), .refused(let key, _), .forgotten(let key):
            key
        case .covered: nil
        }
    }

    fileprivate var line: String {
        switch self {
        case .submitted(let key): "submitted \(key)"
        case .uploaded(let key): "uploaded \(key)"
        case .failed(let key, let code): "failed \(key) \(code.rawValue)"
        case .refused(let key, let code): "refused \(key) \(code.rawValue)"
        case .forgotten(let key): "forgotten \(key)"
        case .covered(let asset, let version): "covered \(asset) \(version)"
        }
    }

    fileprivate init?(_ line: Substring) {
        guard line.hasSuffix(" .") else { return nil }
        let words = line.dropLast(2).split(separator: " ").map(String.init)
        switch (words.first, words.count) {
        case ("submitted", 2): self = .submitted(words[1])
        case ("uploaded", 2): self = .uploaded(words[1])
        case ("failed", 3): self = .failed(words[1], TransferFailure.Code(rawValue: words[2]) ?? .internalFault)
        case ("refused", 3): self = .refused(words[1], TransferFailure.Code(rawValue: words[2]) ?? .internalFault)
        case ("forgotten", 2): self = .forgotten(words[1])
        case ("covered", 3): self = .covered(asset: words[1], version: Int64(words[2]) ?? 0)
        default: return nil
        }
    }
}
