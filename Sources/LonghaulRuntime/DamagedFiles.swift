package import LonghaulCore
import LonghaulStore
import LonghaulSystem

/// Quarantined copies of a damaged file. They are kept beside their replacement and reported until the user acknowledges or deletes
/// them, across restarts.
package struct DamagedFiles: Sendable {
    private let path: String

    /// `path` is that of the file before the quarantine.
    package init(of path: String) {
        self.path = path
    }

    /// The report of the newest file that was not acknowledged; `nil` if there is none.
    package var damage: TransferFailure? { places.filter { !isNoted($0) }.max().map(report) }

    /// Whether there is one, acknowledged or not.
    var isPresent: Bool { !places.isEmpty }

    /// Acknowledges all, so that they are no longer reported. The files stay.
    package func acknowledge() throws(TransferFailure) {
        for place in places where !isNoted(place) { try Store.takeNote(of: place) }
    }

    /// Quarantines the file. `report` returns the sentence for the user, which is stored first.
    package func setAside(
        at now: WallTime, report: @escaping (_ place: String) -> String
    ) throws(TransferFailure) {
        _ = try Store.setAside(path: path, now: now, report: report)
    }

    private var places: [String] {
        let directory = Directory.of(path)
        let start = (path.baseName ?? "") + Store.damageMark
        let others = Store.companions + [Store.reportMark, Store.recordMark]
        return Directory.names(in: directory).filter { name in
            name.hasPrefix(start) && !others.contains { name.hasSuffix($0) }
        }.map { directory + "/" + $0 }
    }

    private func isNoted(_ place: String) -> Bool { Files.isThere(place + Store.recordMark) }

    /// Returns the text of the report beside the file, if there is one.
    private func report(setAsideAs place: String) -> TransferFailure {
        let sentence =
            Store.reportSentence(of: place)
            ?? "The queue was damaged and was quarantined as \(place). A new queue was created; downloaded files are untouched."
        return TransferFailure(.storeDamaged, sentence)
    }
}

extension SessionDirectory {
    /// Returns the report of the session's damaged store, or of its count of used data, until it is acknowledged.
    package static func damage(in layout: SessionLayout) -> TransferFailure? {
        DamagedFiles(of: layout.store).damage ?? BudgetLedger(path: layout.budget).damage
    }

    /// Acknowledges all damage of the session.
    func acknowledgeDamage(at now: WallTime) throws(TransferFailure) {
        try DamagedFiles(of: layout.store).acknowledge()
        try BudgetLedger(path: layout.budget).acknowledgeDamage(at: now)
    }
}
