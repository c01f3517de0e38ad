/// The order of transfers: by priority, then by submission, within the limits in total, per host, and per group.
///
/// Waiting transfers are in one bucket for each pair of host and group. A bucket whose host or group is full is parked there and woken
/// when a slot is freed, so that an event costs the same in a long queue. While a host is on hold its buckets are parked too, except
/// those of transfers that the user retries. How much of a limit a transfer takes depends on whether its host allows shared connections
/// (``TurnWeights``).
package struct TurnQueue: Sendable {
    package private(set) var limits: SessionLimits
    var buckets = TurnBuckets()
    var hosts = TurnLanes()
    var groups = TurnLanes()
    private var eligible = Heap<TurnToken>()
    /// The bucket of each waiting transfer. Entries of deleted transfers are skipped.
    var waiting: [TransferID: Int32] = [:]
    var running: [TransferID: RunningTurn] = [:]
    // Stored, because computing it in another module would copy the queue.
    package private(set) var runningCount = 0
    /// How many of these share a connection.
    var sharingCount = 0
    /// Whether any host has a hold. Stored for the same reason.
    package private(set) var hasHolds = false
    private var held = HeldHosts()
    var prompt = PromptTurns()
    /// When the latest transfer started in a regular slot.
    private(set) var startedAt: WallTime?
    /// The ranks of transfers with a changed priority, which may still be in their bucket with an older rank.
    private var ranks: [TransferID: Int] = [:]
    /// The last result of `next`, and its bucket.
    var latest: (place: TurnPlace, bucket: Int)?

    package init(limits: SessionLimits) {
        self.limits = limits
    }

    package func isWaiting(_ id: TransferID) -> Bool { waiting[id] != nil }
    package func isRunning(_ id: TransferID) -> Bool { running[id] != nil }
    package var waitingCount: Int { waiting.count }

    package mutating func add(_ entry: Entry) {
        let bucket = bucket(for: entry)
        waiting[entry.id] = Int32(bucket)
        // Attended transfers go first among equals.
        let isPrompt = buckets[bucket].pair.standing.isPrompt
        let sequence = isPrompt ? entry.sequence - 1 << 60 : entry.sequence
        buckets[bucket].entries.insert(TurnPlace(rank: -entry.priority, sequence: sequence, id: entry.id))
        if isPrompt { prompt.buckets.insert(bucket) }
        refreshToken(bucket)
    }

    /// Changes the priority of a transfer.
    package mutating func rerank(_ entry: Entry) {
        ranks[entry.id] = -entry.priority
        if waiting[entry.id] != nil { add(entry) }
    }

    /// Removes a transfer that no longer waits for its turn.
    package mutating func withdraw(_ id: TransferID) {
        waiting[id] = nil
    }

    /// Notes that a transfer runs, and holds a slot of each kind.
    package mutating func occupy(_ entry: Entry) {
        guard running[entry.id] == nil else { return }
        let turn = RunningTurn(
            bucket: Int32(bucket(for: entry)), isAlone: entry.needsOwnConnection,
            isPrompt: standing(of: entry).isPrompt, rank: -entry.priority)
        running[entry.id] = turn
        count(turn, by: 1)
    }

    /// Returns the slots of a transfer.
    package mutating func vacate(_ id: TransferID) {
        guard let turn = running.removeValue(forKey: id) else { return }
        count(turn, by: -1)
        let (host, group) = (buckets[Int(turn.bucket)].host, buckets[Int(turn.bucket)].group)
        wakeOne(.host, host)
        wakeOne(.group, group)
    }

    /// Returns the transfer whose turn it is, and removes it from the queue. Returns `nil` if none may start now.
    package mutating func next(at now: WallTime) -> TransferID? {
        if hasHolds {
            for host in held.endDue(at: now) { wakeHeld(host) }
            recordHolds()
        }
        guard hasRoomInAll(forSharing: limits.streams > limits.total) else { return nil }
        while let token = eligible.popFirst() {
            let bucket = token.bucket
            guard buckets[bucket].token == token, buckets[bucket].spot == .eligible else { continue }
            buckets[bucket].token = nil
            let (host, group) = (buckets[bucket].host, buckets[bucket].group)
            dropStale(bucket)
            guard let place = buckets[bucket].entries.first else {
                // The slot for which this bucket was woken belongs to the next one.
                wakeOne(.host, host)
                wakeOne(.group, group)
                continue
            }
            if place.rank != token.rank || place.sequence != token.sequence {
                // Its best entry withdrew: a bucket parked here may be better than the rest of this one.
                refreshToken(bucket)
                wakeOne(.host, host)
                wakeOne(.group, group)
                continue
            }
            if isHeld(buckets[bucket]) {
                park(bucket, .held)
                wakeOne(.host, host)
                wakeOne(.group, group)
                continue
            }
            if !hasRoom(.host, host), !isUrgent(place.rank, host) {
                park(bucket, .host)
                wakeOne(.group, group)
                continue
            }
            if !hasRoom(.group, group) {
                park(bucket, .group)
                wakeOne(.host, host)
                continue
            }
            if !hasRoomInAll(forSharing: hosts[host].sharesConnections) {
                // No transfer that needs less overtakes it.
                park(bucket, .eligible)
                return nil
            }
            if !buckets[bucket].pair.standing.isPrompt { (hosts[host].startedAt, startedAt) = (now, now) }
            takeFirst(of: bucket)
            return place.id
        }
        return nil
    }

    /// Undoes the last `next`: the transfer could not start, and waits where it was.
    package mutating func takeTurnBack() {
        guard let (place, bucket) = latest else { return }
        latest = nil
        waiting[place.id] = Int32(bucket)
        buckets[bucket].entries.insert(place)
        refreshToken(bucket)
    }

    /// Passes on the slots of the last `next`: the transfer does not run now, and has left the queue.
    package mutating func passTurnOn() {
        guard let (_, bucket) = latest else { return }
        latest = nil
        wakeOne(.host, buckets[bucket].host)
        wakeOne(.group, buckets[bucket].group)
    }

    package mutating func setLimits(_ limits: SessionLimits) {
        self.limits = limits
        for bucket in buckets.indices {
            buckets[bucket].token = nil
            refreshToken(bucket)
        }
    }

    /// Notes whether transfers with a host share connections, according to its responses.
    package mutating func update(_ host: String, sharesConnections: Bool) {
        let host = hosts.index(of: host)
        guard hosts[host].sharesConnections != sharesConnections else { return }
        hosts[host].sharesConnections = sharesConnections
        let changed = hosts[host].running - hosts[host].runningAlone
        sharingCount += sharesConnections ? changed : -changed
        wakeAll(parkedAt: host)
    }

    /// Returns how many transfers run with the host of this one.
    package func runningCount(withHostOf id: TransferID) -> Int {
        running[id].map { hosts[buckets[Int($0.bucket)].host].running } ?? 0
    }
}

/// Hosts on hold.
extension TurnQueue {
    private mutating func recordHolds() { hasHolds = !held.isEmpty || !held.defiant.isEmpty }

    /// When the next hold ends.
    package var nextHoldEnd: WallTime? { held.nextEnd }

    /// Begins a hold because the host rejected this transfer (`Retry-After`): no transfer starts with the host before that time, as
    /// long as the transfer exists.
    package mutating func hold(host: String, until: WallTime, for id: TransferID) {
        defer { recordHolds() }
        held.defiant.remove(id)
        held.hold(hosts.index(of: host), until: until, for: id)
    }

    /// Ends a transfer's hold and its retry.
    package mutating func release(_ id: TransferID, host: String) {
        defer { recordHolds() }
        held.defiant.remove(id)
        guard let host = hosts.known(host), held.release(id, of: host) else { return }
        wakeHeld(host)
    }

    /// Starts a transfer despite the hold of its host, for the user: it waits only for a slot. The others keep waiting. Returns
    /// whether that is a change.
    package mutating func defy(_ entry: Entry) -> Bool {
        defer { recordHolds() }
        guard let host = hosts.known(entry.host), held.end(of: host) != nil, !isDefiant(entry.id) else { return false }
        held.defiant.insert(entry.id)
        if waiting[entry.id] != nil { add(entry) }
        return true
    }

    /// Undoes `defy`.
    package mutating func obey(_ entry: Entry) {
        defer { recordHolds() }
        guard held.defiant.remove(entry.id) != nil, waiting[entry.id] != nil else { return }
        add(entry)
    }

    /// Ends a transfer's retry for a reason other than its host's response.
    package mutating func endDefiance(_ id: TransferID) {
        defer { recordHolds() }
        held.defiant.remove(id)
    }

    /// Notes a successful response. If the transfer was retried despite a hold, the hold ends for all.
    package mutating func recordAnswer(_ id: TransferID, host: String) {
        defer { recordHolds() }
        guard held.defiant.remove(id) != nil, let host = hosts.known(host) else { return }
        held.free(host)
        wakeHeld(host)
    }

    /// Returns when the hold of a waiting transfer's host ends; `nil` if no hold applies to the transfer.
    package func holdEnd(of id: TransferID) -> WallTime? {
        guard !held.isEmpty, let bucket = waiting[id].map({ buckets[Int($0)] }), !bucket.isDefiant else { return nil }
        return held.end(of: bucket.host)
    }

    /// Returns the hosts whose hold has begun, changed, or ended since the last call.
    package mutating func takeChangedHolds() -> [String] {
        held.takeChanged().map { hosts[$0].name }
    }

    /// Returns the next transfers in line for this host: one for each group.
    package mutating func firstWaiting(with host: String) -> [TransferID] {
        guard let host = hosts.known(host) else { return [] }
        return buckets.indices.filter { buckets[$0].host == host }.compactMap { bucket in
            dropStale(bucket)
            return buckets[bucket].entries.first?.id
        }
    }

    package func isWaiting(_ id: TransferID, with host: String) -> Bool {
        waiting[id].map { hosts[buckets[Int($0)].host].name == host } ?? false
    }
}

extension TurnQueue {
    private mutating func bucket(for entry: Entry) -> Int {
        let (isDefiant, standing) = (isDefiant(entry.id), standing(of: entry))
        if !isDefiant, let index = buckets.latest(host: entry.host, group: entry.group, standing) { return index }
        let (host, group) = (hosts.index(of: entry.host), groups.index(of: entry.group))
        let index = buckets.index(of: TurnPair(host: host, group: group, isDefiant: isDefiant, standing: standing))
        if !isDefiant { buckets.record(host: entry.host, group: entry.group, standing, index) }
        return index
    }

    private func standing(of entry: Entry) -> TurnStanding {
        !prompt.started.isEmpty && prompt.started.contains(entry.id) ? .started : entry.standing
    }

    private func isDefiant(_ id: TransferID) -> Bool { !held.defiant.isEmpty && held.defiant.contains(id) }

    @inline(__always)
    func isHeld(_ bucket: TurnBucket) -> Bool { !bucket.isDefiant && held.end(of: bucket.host) != nil }

    @inline(__always)
    func hasRoom(_ kind: TurnLaneKind, _ index: Int) -> Bool {
        switch kind {
        case .host: hosts[index].hasRoom(limits)
        case .group: groups[index].running < groupLimit(index)
        }
    }

    @inline(__always)
    func groupLimit(_ group: Int) -> Int {
        groups[group].name.isEmpty ? .max : limits.perGroup[groups[group].name] ?? .max
    }

    @inline(__always)
    func hasRoomInAll(forSharing: Bool) -> Bool {
        TurnWeights(limits).hasRoomInAll(running: runningCount, sharing: sharingCount, forSharing: forSharing)
    }

    private mutating func count(_ turn: RunningTurn, by change: Int) {
        let (host, group) = (buckets[Int(turn.bucket)].host, buckets[Int(turn.bucket)].group)
        runningCount += change
        groups[group].running += change
        hosts[host].running += change
        if change > 0 {
            hosts[host].ranks.append(turn.rank)
        } else if let index = hosts[host].ranks.firstIndex(of: turn.rank) {
            hosts[host].ranks.remove(at: index)
        }
        if turn.isPrompt { hosts[host].runningPrompt += change }
        if turn.isAlone {
            hosts[host].runningAlone += change
        } else if hosts[host].sharesConnections {
            sharingCount += change
        }
    }

    mutating func dropStale(_ bucket: Int) {
        while let first = buckets[bucket].entries.first, waiting[first.id] != Int32(bucket) || isOutranked(first) {
            _ = buckets[bucket].entries.popFirst()
        }
    }

    private func isOutranked(_ place: TurnPlace) -> Bool {
        !ranks.isEmpty && ranks[place.id].map { $0 != place.rank } ?? false
    }

    /// Updates the bucket's claim to match its first entry.
    mutating func refreshToken(_ bucket: Int) {
        guard let first = buckets[bucket].entries.first else { return }
        let token = TurnToken(rank: first.rank, sequence: first.sequence, bucket: bucket)
        guard buckets[bucket].token != token else { return }
        // A parked bucket with a better entry may claim the slot for which another one was woken.
        if buckets[bucket].token == nil || !isBlocked(buckets[bucket]) { buckets[bucket].spot = .eligible }
        buckets[bucket].token = token
        put(token, buckets[bucket].spot)
    }

    private func isBlocked(_ bucket: TurnBucket) -> Bool {
        switch bucket.spot {
        case .eligible: false
        case .held: isHeld(bucket)
        case .host: !hasRoom(.host, bucket.host) && !isUrgent(bucket.entries.first?.rank, bucket.host)
        case .group: !hasRoom(.group, bucket.group)
        }
    }

    private func isUrgent(_ rank: Int?, _ host: Int) -> Bool {
        rank.map { hosts[host].hasUrgentPlace(for: $0, limits) } ?? false
    }

    private mutating func put(_ token: TurnToken, _ spot: TokenPlace) {
        switch spot {
        case .eligible: eligible.insert(token)
        case .held: hosts[buckets[token.bucket].host].held.insert(token)
        case .host: hosts[buckets[token.bucket].host].parked.insert(token)
        case .group: groups[buckets[token.bucket].group].parked.insert(token)
        }
    }

    private mutating func park(_ bucket: Int, _ spot: TokenPlace) {
        buckets[bucket].spot = spot
        guard let first = buckets[bucket].entries.first else { return }
        let token = TurnToken(rank: first.rank, sequence: first.sequence, bucket: bucket)
        buckets[bucket].token = token
        put(token, buckets[bucket].spot)
    }

    /// A slot is free: the best bucket parked here may try.
    private mutating func wakeOne(_ kind: TurnLaneKind, _ index: Int) {
        guard hasRoom(kind, index) || kind == .host && isUrgent(hosts[index].parked.first?.rank, index) else { return }
        while let token = kind == .host ? hosts[index].parked.popFirst() : groups[index].parked.popFirst() {
            let bucket = token.bucket
            let spot: TokenPlace = kind == .host ? .host : .group
            guard buckets[bucket].token == token, buckets[bucket].spot == spot else { continue }
            buckets[bucket].spot = .eligible
            eligible.insert(token)
            return
        }
    }

    /// The host's limit has changed: all buckets parked for it may try.
    private mutating func wakeAll(parkedAt host: Int) {
        for token in hosts[host].parked.removeAll() {
            guard buckets[token.bucket].token == token, buckets[token.bucket].spot == .host else { continue }
            buckets[token.bucket].spot = .eligible
            eligible.insert(token)
        }
    }

    /// The hold has ended: all buckets parked for it may try.
    private mutating func wakeHeld(_ host: Int) {
        for token in hosts[host].held.removeAll() {
            guard buckets[token.bucket].token == token, buckets[token.bucket].spot == .held else { continue }
            buckets[token.bucket].spot = .eligible
            eligible.insert(token)
        }
    }
}
