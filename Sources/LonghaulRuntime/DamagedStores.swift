package import LonghaulCore
import LonghaulStore
import LonghaulSystem

/// Damaged stores that were set aside. They lie beside the new one and are told of until somebody takes note of them, by a
/// command or by taking them away, whatever ends or starts meanwhile.
extension SessionDirectory {
    /// What is to be told of the session's newest damaged store; `nil` when there is none that nobody has taken note of.
    package static func damage(in layout: SessionLayout) -> TransferFailure? {
        damagedStores(in: layout).filter { !isNoted($0) }.max().map(damage(setAsideAs:))
    }

    /// Whether a damaged store lies there, told of or not.
    static func hasDamagedStore(in layout: SessionLayout) -> Bool { !damagedStores(in: layout).isEmpty }

    /// All that lie there are told of no more. The files stay.
    func takeNoteOfDamage() throws(TransferFailure) {
        for place in Self.damagedStores(in: layout) where !Self.isNoted(place) { try Store.takeNote(of: place) }
    }

    private static func damagedStores(in layout: SessionLayout) -> [String] {
        let store = layout.store.dropFirst(layout.directory.utf8.count + 1) + Store.damageMark
        let others = Store.companions + [Store.reportMark, Store.noteMark]
        return Directory.names(in: layout.directory).filter { name in
            name.hasPrefix(store) && !others.contains { name.hasSuffix($0) }
        }.map { layout.directory + "/" + $0 }
    }

    private static func isNoted(_ place: String) -> Bool { Files.isThere(place + Store.noteMark) }

    /// Told in the words of the report that lies beside it, if one does.
    private static func damage(setAsideAs place: String) -> TransferFailure {
        let sentence =
            Store.reportSentence(of: place)
            ?? "The queue was damaged and was quarantined as \(place). A new queue was created; downloaded files are untouched."
        return TransferFailure(.storeDamaged, sentence)
    }
}
