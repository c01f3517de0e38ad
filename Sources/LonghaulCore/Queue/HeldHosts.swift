/// Which hosts asked to be left alone (`Retry-After`), until when, and whom they sent away.
///
/// A host is held by the transfers that it sent away, until the latest of their dates. One that is gone holds nothing: what
/// keeps others waiting can always be seen, and is the same after a restart, which knows of no more than these transfers.
struct HeldHosts: Sendable {
    private struct End: Comparable, Sendable {
        var until: WallTime
        var host: Int

        static func < (left: End, right: End) -> Bool {
            (left.until, left.host) < (right.until, right.host)
        }
    }

    /// Transfers that the user tries although their host is held, until the outcome.
    var defiant: Set<TransferID> = []
    private var holders: [Int: [TransferID: WallTime]] = [:]
    /// The latest date of each host's holders.
    private var latest: [Int: WallTime] = [:]
    /// Ends that are not their host's latest any more are passed over.
    private var ends = Heap<End>()
    /// The hosts whose date has begun, changed or ended since `takeChanged` was last called.
    private var changed: Set<Int> = []

    var isEmpty: Bool { latest.isEmpty }

    func end(of host: Int) -> WallTime? { latest.isEmpty ? nil : latest[host] }

    /// When the next host may be free again.
    var nextEnd: WallTime? { ends.first?.until }

    /// What the host says to the same transfer again replaces what it said before.
    mutating func hold(_ host: Int, until: WallTime, for id: TransferID) {
        holders[host, default: [:]][id] = until
        settle(host, until > latest[host] ?? until ? until : nil)
    }

    /// The transfer was not sent away any more, or is gone; whether its host is free now.
    mutating func letGo(_ id: TransferID, of host: Int) -> Bool {
        guard let until = holders[host]?.removeValue(forKey: id), until == latest[host] else { return false }
        settle(host, nil)
        return latest[host] == nil
    }

    mutating func free(_ host: Int) {
        holders[host] = nil
        if latest.removeValue(forKey: host) != nil { changed.insert(host) }
        if latest.isEmpty { ends = Heap() }
    }

    /// Hosts that are free now because their date has come.
    mutating func endDue(at now: WallTime) -> [Int] {
        var freed: [Int] = []
        while let end = ends.first, end.until <= now {
            _ = ends.popFirst()
            guard latest[end.host] == end.until else { continue }
            free(end.host)
            freed.append(end.host)
        }
        return freed
    }

    mutating func takeChanged() -> Set<Int> {
        defer { changed = [] }
        return changed
    }

    /// Makes the date match the holders; `known` when it is certain to be the latest.
    private mutating func settle(_ host: Int, _ known: WallTime?) {
        guard let end = known ?? holders[host]?.values.max() else { return free(host) }
        guard latest[host] != end else { return }
        latest[host] = end
        ends.insert(End(until: end, host: host))
        changed.insert(host)
    }
}
