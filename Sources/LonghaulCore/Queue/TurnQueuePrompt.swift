/// Transfers that start beyond limits: attended ones beyond default limits, those that the user started beyond all.
extension TurnQueue {
    /// Returns the transfer that starts beyond a limit, and removes it from the queue.
    package mutating func nextPrompt() -> TransferID? {
        var best: (place: TurnPlace, bucket: Int)?
        for bucket in prompt.buckets {
            dropStale(bucket)
            guard let first = buckets[bucket].entries.first else {
                prompt.buckets.remove(bucket)
                continue
            }
            guard limit(of: buckets[bucket]) == nil, best.map({ first < $0.place }) ?? true else { continue }
            best = (first, bucket)
        }
        guard let best else { return nil }
        takeFirst(of: best.bucket)
        return best.place.id
    }

    /// The strongest standing of the transfers that could start beyond a limit; `nil` if there are none.
    package var promptStanding: TurnStanding? {
        let standings = prompt.buckets.lazy.filter { !buckets[$0].entries.isEmpty }.map { buckets[$0].pair.standing }
        return standings.max { $0.rawValue < $1.rawValue }
    }

    /// Starts a transfer beyond any limit, for the user. Returns whether that is a change.
    package mutating func start(_ entry: Entry) -> Bool {
        guard waiting[entry.id] != nil, prompt.started.insert(entry.id).inserted else { return false }
        add(entry)
        return true
    }

    /// Undoes `start`.
    package mutating func unstart(_ entry: Entry) {
        guard prompt.started.remove(entry.id) != nil, waiting[entry.id] != nil else { return }
        add(entry)
    }

    /// Forgets an ended transfer.
    package mutating func forget(_ id: TransferID) {
        if !prompt.started.isEmpty { prompt.started.remove(id) }
    }

    /// Returns the limit for which a waiting transfer waits, and its value; `nil` if it does not wait, or only waits for others in line.
    ///
    /// Mutating, and with inlined parts, because a call that only reads copies the queue, for each transfer of a page.
    package mutating func limitAndCount(of id: TransferID) -> (limit: TransferSnapshot.TurnLimit?, count: Int?) {
        guard let bucket = waiting[id].map({ Int($0) }) else { return (nil, nil) }
        let limit = limit(of: buckets[bucket])
        let count: Int? =
            switch limit {
            case .host: hosts[buckets[bucket].host].most(limits)
            case .group: groupLimit(buckets[bucket].group)
            case .total: hosts[buckets[bucket].host].sharesConnections ? limits.streams : limits.total
            case .heldHost, nil: nil
            }
        return (limit, count)
    }

    @inline(__always)
    private func limit(of bucket: TurnBucket) -> TransferSnapshot.TurnLimit? {
        if isHeld(bucket) { return .heldHost }
        let standing = bucket.pair.standing
        if standing == .started { return nil }
        let isAttended = standing == .attended
        if !hasRoom(.host, bucket.host), !(isAttended && exceedsHost(bucket.host)) { return .host }
        if !hasRoom(.group, bucket.group) { return .group }
        let shares = hosts[bucket.host].sharesConnections
        let exceedsTotal = limits.hasUsualTotal && (!shares || limits.chosenStreams == nil)
        return hasRoomInAll(forSharing: shares) || isAttended && exceedsTotal ? nil : .total
    }

    /// Whether the limit of a host is a default.
    @inline(__always)
    func exceedsHost(_ host: Int) -> Bool {
        limits.hasUsualPerHost && (!hosts[host].sharesConnections || limits.chosenStreams == nil)
    }

    /// Gives the turn to the first entry of a bucket.
    mutating func takeFirst(of bucket: Int) {
        guard let place = buckets[bucket].entries.popFirst() else { return }
        waiting[place.id] = nil
        refreshToken(bucket)
        latest = (place, bucket)
    }
}
