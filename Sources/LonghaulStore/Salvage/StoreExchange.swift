package import LonghaulCore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Putting a new store in a damaged one's place. Each moment leaves either the damaged store, to be salvaged again, or enough to
/// finish with: the new store has its provisional name, which tells the damaged one's, when the damaged one loses its own.
extension Store {
    /// Behind a set-aside store's name: what became of its transfers, for a person to read.
    package static let reportMark = ".txt"
    static let provisionalMark = ".salvaged-"

    /// What a crash can come between.
    package enum SalvageStep: CaseIterable, Sendable {
        case written, reported, storeMoved, logMoved, installed
    }

    /// Reads what can be read of a damaged store into a new one, which takes its place; the damaged one is set aside, with a
    /// report beside it. Answers where it is and the report. No connection may be used afterwards that was open before.
    ///
    /// `remembered`: what the process knows of transfers, for those that cannot be read. `after` is for tests.
    package static func salvage(
        path: String, because damage: TransferFailure, remembered: [StoredTransfer] = [], now: WallTime,
        after: (SalvageStep) throws(TransferFailure) -> Void = { _ in }
    ) throws(TransferFailure) -> (place: String, report: SalvageReport) {
        guard let image = StoreImage(path: path) else { throw damage }
        removeLitter(of: path)
        let mark = freeMark(for: path, now)
        let provisional = path + provisionalMark + mark
        var report = try write(image, to: provisional, remembered, now)
        try after(.written)
        report.reason = damage.message
        let place = path + damageMark + mark
        try writeReport(report.text(place: place), to: place + reportMark)
        try syncDirectory(of: path)
        try after(.reported)
        try move(path, to: place)
        try after(.storeMoved)
        try finish(path: path, mark: mark, after: after)
        return (place, report)
    }

    /// The first line of the report beside a set-aside store; `nil` when there is none.
    package static func reportSentence(of place: String) -> String? {
        let file = open(place + reportMark, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = pread(file, &bytes, bytes.count, 0)
        guard count > 0, let end = bytes[..<count].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        return String(validating: bytes[..<end], as: UTF8.self)
    }

    /// Finishes what was interrupted: the damaged store has lost its name and the new one has not got it yet. Answers
    /// whether there was something to finish.
    @discardableResult
    package static func finishSalvage(path: String) throws(TransferFailure) -> Bool {
        guard access(path, F_OK) != 0, let mark = provisionalMarks(of: path).max() else { return false }
        try finish(path: path, mark: mark) { _ in }
        return true
    }

    /// The log goes before the new store comes: SQLite would take it for the new one's.
    private static func finish(
        path: String, mark: String, after: (SalvageStep) throws(TransferFailure) -> Void
    ) throws(TransferFailure) {
        for companion in companions {
            let place = path + damageMark + mark + companion
            if access(path + companion, F_OK) == 0 { try move(path + companion, to: place) }
        }
        try syncDirectory(of: path)
        try after(.logMoved)
        try move(path + provisionalMark + mark, to: path)
        try syncDirectory(of: path)
        try after(.installed)
    }

    /// The store is closed when this returns, and has no log.
    private static func write(
        _ image: StoreImage, to path: String, _ remembered: [StoredTransfer], _ now: WallTime
    ) throws(TransferFailure) -> SalvageReport {
        let store = try Store(path: path)
        let report = try Salvage.run(from: image, into: store, remembered: remembered, now: now)
        try store.emptyLog()
        return report
    }

    /// What an interrupted attempt left: it begins anew.
    static func removeLitter(of path: String) {
        for mark in provisionalMarks(of: path) {
            for companion in [""] + companions { unlink(path + provisionalMark + mark + companion) }
        }
    }

    private static func provisionalMarks(of path: String) -> [String] {
        let (directory, name) = parts(of: path)
        let prefix = name + provisionalMark
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var marks: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name.hasPrefix(prefix), !companions.contains(where: { name.hasSuffix($0) }) else { continue }
            marks.append(String(name.dropFirst(prefix.count)))
        }
        return marks
    }

    private static func writeReport(_ text: String, to path: String) throws(TransferFailure) {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw fileFailure("set aside", errno) }
        defer { close(file) }
        let bytes = Array(text.utf8)
        guard pwrite(file, bytes, bytes.count, 0) == bytes.count, fsync(file) == 0 else {
            throw fileFailure("set aside", errno)
        }
    }
}
