/// Overflow slots: for a host whose limit is full and a default, and in total.
extension TurnQueue {
    /// Whether a limit is a default. A limit that was set has no overflow slots.
    package var hasOverflow: Bool { limits.hasUsualTotal || limits.hasUsualPerHost }

    /// Returns whether a default limit is full.
    func isCrowded(_ place: OverflowSlots.Place) -> Bool {
        switch place {
        case .host(let name): hosts.known(name).map { exceedsHost($0) && !hasRoom(.host, $0) } ?? false
        case .total: limits.hasUsualTotal && !hasRoomInAll(forSharing: false)
        }
    }

    /// Returns whether more transfers run than the limit allows.
    func isOver(_ place: OverflowSlots.Place) -> Bool {
        switch place {
        case .host(let name):
            hosts.known(name).map { hosts[$0].running > hosts[$0].most(limits) } ?? false
        case .total: TurnWeights(limits).isBeyond(running: runningCount, sharing: sharingCount)
        }
    }

    /// Returns the latest start of a transfer in a regular slot.
    func lastStart(at place: OverflowSlots.Place) -> WallTime? {
        switch place {
        case .host(let name): hosts.known(name).flatMap { hosts[$0].startedAt }
        case .total: startedAt
        }
    }

    func host(of id: TransferID) -> String? { waiting[id].map { hosts[buckets[Int($0)].host].name } }

    /// Returns the transfers that would be next in an overflow slot, unless one with a higher priority runs there. In total, full
    /// hosts count if `permits` says so.
    mutating func line(
        at place: OverflowSlots.Place, permits: (OverflowSlots.Place, WallTime?) -> Bool
    ) -> OverflowSlots.Line? {
        let ranks =
            if case .host(let name) = place, let host = hosts.known(name) {
                hosts[host].ranks
            } else {
                running.values.map(\.rank)
            }
        let lowest = ranks.min() ?? .max
        var (first, small): (TurnPlace?, TurnPlace?)
        for bucket in buckets.indices where getsOverflow(buckets[bucket], at: place, permits) {
            dropStale(bucket)
            guard let next = buckets[bucket].entries.first, next.rank <= lowest else { continue }
            first = min(first ?? next, next)
            if buckets[bucket].pair.standing == .small { small = min(small ?? next, next) }
        }
        return first.map { OverflowSlots.Line(first: $0.id, firstSmall: small?.id) }
    }

    /// Starts the transfer beyond a limit, and removes it from the queue.
    mutating func admit(_ id: TransferID) {
        guard let bucket = waiting[id].map({ Int($0) }), buckets[bucket].entries.first?.id == id else { return }
        takeFirst(of: bucket)
    }

    private func getsOverflow(
        _ bucket: TurnBucket, at place: OverflowSlots.Place, _ permits: (OverflowSlots.Place, WallTime?) -> Bool
    ) -> Bool {
        guard bucket.pair.standing == .usual || bucket.pair.standing == .small, !bucket.isDefiant, !isHeld(bucket),
            hasRoom(.group, bucket.group), !bucket.entries.isEmpty
        else { return false }
        let host = OverflowSlots.Place.host(hosts[bucket.host].name)
        return switch place {
        case .host: host == place
        case .total: hasRoom(.host, bucket.host) || isCrowded(host) && permits(host, hosts[bucket.host].startedAt)
        }
    }
}
