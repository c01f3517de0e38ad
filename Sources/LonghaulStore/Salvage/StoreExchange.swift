package import LonghaulCore
import LonghaulSystem

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
        // What cannot be read is as good as not there.
        guard let file = try? Descriptor(opening: place + reportMark, [.reading, .atOnce, .noLink]),
            let bytes = try? file.readBeginning(limit: 4_096), let end = bytes.firstIndex(of: UInt8(ascii: "\n"))
        else { return nil }
        return String(validating: bytes[..<end], as: UTF8.self)
    }

    /// Finishes what was interrupted: the damaged store has lost its name and the new one has not got it yet. Answers
    /// whether there was something to finish.
    @discardableResult
    package static func finishSalvage(path: String) throws(TransferFailure) -> Bool {
        guard !Files.isThere(path), let mark = provisionalMarks(of: path).max() else { return false }
        try finish(path: path, mark: mark) { _ in }
        return true
    }

    /// The log goes before the new store comes: SQLite would take it for the new one's.
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
            for companion in [""] + companions { Files.discard(path + provisionalMark + mark + companion) }
        }
    }

    private static func provisionalMarks(of path: String) -> [String] {
        let prefix = (path.baseName ?? "") + provisionalMark
        return Directory.names(in: Directory.of(path))
            .filter { name in name.hasPrefix(prefix) && !companions.contains { name.hasSuffix($0) } }
            .map { String($0.dropFirst(prefix.count)) }
    }

    private static func writeReport(_ text: String, to path: String) throws(TransferFailure) {
        try doing("quarantine") { () throws(SystemError) in
            let file = try Descriptor(opening: path, [.writing, .making, .emptied, .noLink])
            try file.write(text)
            try file.sync()
        }
    }
}
