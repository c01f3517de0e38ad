package import LonghaulCore
import LonghaulStore
import LonghaulSystem

/// Quarantined stores. They are kept beside the new store and reported until the user acknowledges or deletes them, across restarts.
extension SessionDirectory {
    /// Returns the report of the session's newest damaged store that was not acknowledged; `nil` if there is none.
    package static func damage(in layout: SessionLayout) -> TransferFailure? {
        damagedStores(in: layout).filter { !isNoted($0) }.max().map(damage(setAsideAs:))
    }

    /// Whether a damaged store exists, acknowledged or not.
    static func hasDamagedStore(in layout: SessionLayout) -> Bool { !damagedStores(in: layout).isEmpty }

    /// Acknowledges all damaged stores, so that they are no longer reported. The files stay.
    func takeNoteOfDamage() throws(TransferFailure) {
        for place in Self.damagedStores(in: layout) where !Self.isNoted(place) { try Store.takeNote(of: place) }
    }

    private static func damagedStores(in layout: SessionLayout) -> [String] {
        let store = layout.store.dropFirst(layout.directory.utf8.count + 1) + Store.damageMark
        let others = Store.companions + [Store.reportMark, Store.recordMark]
        return Directory.names(in: layout.directory).filter { name in
            name.hasPrefix(store) && !others.contains { name.hasSuffix($0) }
        }.map { layout.directory + "/" + $0 }
    }

    private static func isNoted(_ place: String) -> Bool { Files.isThere(place + Store.recordMark) }

    /// Returns the text of the report beside the store, if there is one.
    private static func damage(setAsideAs place: String) -> TransferFailure {
        let sentence =
            Store.reportSentence(of: place)
            ?? "The queue was damaged and was quarantined as \(place). A new queue was created; downloaded files are untouched."
        return TransferFailure(.storeDamaged, sentence)
    }
}
