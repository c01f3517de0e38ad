/// Hosts on hold (`Retry-After`), with the time and the rejected transfers.
///
/// A host is held by the transfers that it rejected, until the latest of their times. A deleted transfer holds nothing: the reason for
/// a wait is always visible, and is the same after a restart, which knows only these transfers.
struct HeldHosts: Sendable {
    private struct End: Comparable, Sendable {
        var until: WallTime
        var host: Int

        static func < (left: End, right: End) -> Bool {
            (left.until, left.host) < (right.until, right.host)
        }
    }

    /// Transfers that the user retries although their host is held, until the outcome.
    var defiant: Set<TransferID> = []
    private var holders: [Int: [TransferID: WallTime]] = [:]
    /// The latest time of each host's holders.
    private var latest: [Int: WallTime] = [:]
    /// Ends that are no longer their host's latest are skipped.
    private var ends = Heap<End>()
    /// Hosts whose hold has begun, changed, or ended since the last call of `takeChanged`.
    private var changed: Set<Int> = []

    var isEmpty: Bool { latest.isEmpty }

    func end(of host: Int) -> WallTime? { latest.isEmpty ? nil : latest[host] }

    /// When the next hold may end.
    var nextEnd: WallTime? { ends.first?.until }

    /// A later response to the same transfer replaces the earlier one.
    mutating func hold(_ host: Int, until: WallTime, for id: TransferID) {
        holders[host, default: [:]][id] = until
        updateHold(host, until > latest[host] ?? until ? until : nil)
    }

    /// Removes a transfer that was not rejected again, or was deleted. Returns whether its host is free now.
    mutating func release(_ id: TransferID, of host: Int) -> Bool {
        guard let until = holders[host]?.removeValue(forKey: id), until == latest[host] else { return false }
        updateHold(host, nil)
        return latest[host] == nil
    }

    mutating func free(_ host: Int) {
        holders[host] = nil
        if latest.removeValue(forKey: host) != nil { changed.insert(host) }
        if latest.isEmpty { ends = Heap() }
    }

    /// Returns the hosts whose hold has ended now.
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

    /// Updates the time to match the holders; `known` is set if it is certainly the latest.
    private mutating func updateHold(_ host: Int, _ known: WallTime?) {
        guard let end = known ?? holders[host]?.values.max() else { return free(host) }
        guard latest[host] != end else { return }
        latest[host] = end
        ends.insert(End(until: end, host: host))
        changed.insert(host)
    }
}
