package import LonghaulCore
import LonghaulSystem

/// Replaces a damaged store by a new one. A crash at any point leaves either the damaged store, to be salvaged again, or enough to
/// finish: when the damaged store loses its name, the new one has a provisional name that contains the damaged one's.
extension Store {
    /// The suffix of a quarantined store's report, for the user.
    package static let reportMark = ".txt"
    static let provisionalMark = ".salvaged-"

    /// The steps between which a crash can happen.
    package enum SalvageStep: CaseIterable, Sendable {
        case written, reported, storeMoved, logMoved, installed
    }

    /// Copies the readable part of a damaged store to a new one, which replaces it; the damaged one is quarantined, with a report
    /// beside it. Returns its path and the report. Connections that were opened before must not be used afterwards.
    ///
    /// `remembered` are the transfers in the memory of the process, for those that cannot be read. `after` is for tests.
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
        report.losesNewest = image.losesCommits
        let place = path + damageMark + mark
        try writeReport(report.text(place: place), to: place + reportMark)
        try syncDirectory(of: path)
        try after(.reported)
        try move(path, to: place)
        try after(.storeMoved)
        try finish(path: path, mark: mark, after: after)
        return (place, report)
    }

    /// Returns the first line of the report beside a quarantined store; `nil` if there is none.
    package static func reportSentence(of place: String) -> String? {
        // An unreadable report counts as missing.
        guard let file = try? Descriptor(opening: place + reportMark, [.reading, .atOnce, .noLink]),
            let bytes = try? file.readBeginning(limit: 4_096), let end = bytes.firstIndex(of: UInt8(ascii: "\n"))
        else { return nil }
        return String(validating: bytes[..<end], as: UTF8.self)
    }

    /// Finishes an interrupted replacement: the damaged store has lost its name, and the new one has not received it yet. Returns
    /// whether there was one.
    @discardableResult
    package static func finishSalvage(path: String) throws(TransferFailure) -> Bool {
        guard !Files.isThere(path), let mark = provisionalMarks(of: path).max() else { return false }
        try finish(path: path, mark: mark) { _ in }
        return true
    }

    /// The log is moved before the new store is installed: SQLite would use it for the new store.
    private static func finish(
        path: String, mark: String, after: (SalvageStep) throws(TransferFailure) -> Void
    ) throws(TransferFailure) {
        for companion in companions {
            let place = path + damageMark + mark + companion
            if Files.isThere(path + companion) { try move(path + companion, to: place) }
        }
        try syncDirectory(of: path)
        try after(.logMoved)
        try move(path + provisionalMark + mark, to: path)
        try syncDirectory(of: path)
        try after(.installed)
    }

    /// Closes the new store, which then has no log.
    private static func write(
        _ image: StoreImage, to path: String, _ remembered: [StoredTransfer], _ now: WallTime
    ) throws(TransferFailure) -> SalvageReport {
        let store = try Store(path: path)
        let report = try Salvage.run(from: image, into: store, remembered: remembered, now: now)
        try store.emptyLog()
        return report
    }

    /// Deletes the files of an interrupted attempt, which starts over.
    static func removeLitter(of path: String) {
        for mark in provisionalMarks(of: path) {
            for suffix in ["", creationMark] + companions { Files.discard(path + provisionalMark + mark + suffix) }
        }
    }

    private static func provisionalMarks(of path: String) -> [String] {
        let prefix = (path.baseName ?? "") + provisionalMark
        return Directory.names(in: Directory.of(path))
            .filter { name in name.hasPrefix(prefix) && !(companions + [creationMark]).contains { name.hasSuffix($0) } }
            .map { String($0.dropFirst(prefix.count)) }
    }

    static func writeReport(_ text: String, to path: String) throws(TransferFailure) {
        try doing("quarantine") { () throws(SystemError) in
            let file = try Descriptor(opening: path, [.writing, .making, .emptied, .noLink])
            try file.write(text)
            try file.sync()
        }
    }
}
