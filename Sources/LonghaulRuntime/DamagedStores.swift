package import LonghaulCore
import LonghaulStore
import LonghaulSystem

/// Damaged stores that were set aside. They lie beside the new one and are told of until a person takes them away: by that
/// it is known that somebody has taken note, whatever ends or starts meanwhile.
extension SessionDirectory {
    /// What is to be told of the session's newest damaged store; `nil` when there is none.
    package static func damage(in layout: SessionLayout) -> TransferFailure? {
        let store = layout.store.dropFirst(layout.directory.utf8.count + 1) + Store.damageMark
        let newest = Directory.names(in: layout.directory).filter { name in
            name.hasPrefix(store) && !(Store.companions + [Store.reportMark]).contains { name.hasSuffix($0) }
        }.max()
        return newest.map { damage(setAsideAs: layout.directory + "/" + $0) }
    }

    /// Told in the words of the report that lies beside it, if one does.
    private static func damage(setAsideAs place: String) -> TransferFailure {
        let sentence =
            Store.reportSentence(of: place)
            ?? "The queue was damaged and was set aside as \(place); a new one was begun, and downloaded files are untouched."
        return TransferFailure(.storeDamaged, sentence)
    }
}
