/// The one place more that a guest takes, at a host that is full and in all.
extension TurnQueue {
    /// How full a place is. One for which somebody has set a limit takes no guest: whoever sets it means it.
    package func crowding(at place: GuestPlaces.Place) -> GuestPlaces.Crowding {
        switch place {
        case .host(let name):
            guard limits.hasUsualPerHost, let host = hosts.known(name), !hosts[host].sharesConnections else {
                return .room
            }
            return GuestPlaces.Crowding(hosts[host].running, of: limits.perHost)
        case .all:
            guard limits.hasUsualTotal, !hasRoomInAll(forSharing: false) else { return .room }
            return TurnWeights(limits).isBeyond(running: runningCount, sharing: sharingCount) ? .over : .full
        }
    }

    /// Who would be the next guest: the first in line that was none, unless something runs there that goes before it.
    package mutating func nextGuest(at place: GuestPlaces.Place) -> TransferID? {
        var ranks = running.values.map(\.rank)
        if case .host(let name) = place {
            guard hasRoomInAll(forSharing: false) else { return nil }
            ranks = hosts.known(name).map { hosts[$0].ranks } ?? []
        }
        var best: Place?
        for bucket in buckets.indices where takesGuests(buckets[bucket], at: place) {
            dropStale(bucket)
            guard let first = buckets[bucket].entries.first, first.rank <= ranks.min() ?? .max else { continue }
            best = min(best ?? first, first)
        }
        return best?.id
    }

    /// Gives the guest its turn, beyond the limit. It is not in the queue any more.
    package mutating func admitGuest(_ id: TransferID) {
        guard let bucket = waiting.removeValue(forKey: id).map({ Int($0) }) else { return }
        if let place = buckets[bucket].entries.popFirst() { latest = (place, bucket) }
        refreshToken(bucket)
    }

    private func takesGuests(_ bucket: Bucket, at place: GuestPlaces.Place) -> Bool {
        guard bucket.pair == Pair(host: bucket.host, group: bucket.group), !isHeld(bucket),
            hasRoom(.group, bucket.group)
        else { return false }
        let host = hosts[bucket.host]
        return switch place {
        case .host(let name): host.name == name
        case .all:
            hasRoom(.host, bucket.host)
                || limits.hasUsualPerHost && !host.sharesConnections && host.running == limits.perHost
        }
    }
}
