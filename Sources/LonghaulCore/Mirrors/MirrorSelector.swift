/// Chooses the source for each connection of one download, by the results of earlier connections.
///
/// The source at index 0 is that of the download's own exchange. If it is the only one, the board has no effect.
package struct MirrorSelector: Equatable, Sendable {
    private struct Place: Equatable {
        var url: String
        var running = 0
        /// The rate of a connection to it, in bytes per second.
        var rate: Int64?
        var failures = 0
        /// Monotonic nanoseconds.
        var restsUntil: Int64 = 0
        var isDropped = false
        /// Bytes not reported yet.
        var untold: Int64 = 0
        var reportedRate: Int64?
    }

    /// An update about a source.
    package struct Statistics: Equatable, Sendable {
        package var url: String
        package var bytes: Int64
        package var rate: Int64?
        /// Whether it has another version.
        package var isOfOtherVersion: Bool
        /// Why its certificate was rejected, if it was.
        package var rejection: TransferFailure?

        package init(
            url: String, bytes: Int64, rate: Int64?, isOfOtherVersion: Bool, rejection: TransferFailure? = nil
        ) {
            self.url = url
            self.bytes = bytes
            self.rate = rate
            self.isOfOtherVersion = isOfOtherVersion
            self.rejection = rejection
        }
    }

    private static let firstRest: Int64 = 2_000_000_000
    private static let longestRest: Int64 = 60_000_000_000

    private var places: [Place]
    private var seats: [Ticket: Int] = [:]
    private var dropped: [String] = []
    /// Rejected certificates that were not reported yet.
    private var rejections: [Int: TransferFailure] = [:]

    /// The first URL is that of the download's own exchange.
    package init(_ urls: [String]) {
        places = urls.map { Place(url: $0) }
    }

    package var isSpread: Bool { places.count > 1 }

    /// Returns the source of a connection; `nil` if the connection is unknown.
    package func seat(of ticket: Ticket) -> Int? { seats[ticket] }

    /// Returns the source for the next connection: an untried one, otherwise the one with the highest expected rate. Returns `nil`
    /// while none is available.
    package func choose(at now: Int64) -> Int? {
        // For a single source, the policy of segments limits the attempts.
        guard isSpread else { return 0 }
        let open = places.indices.filter { !places[$0].isDropped && places[$0].restsUntil <= now }
        if let new = open.first(where: { places[$0].rate == nil && places[$0].running == 0 }) { return new }
        let usual = open.compactMap { places[$0].rate }.mean ?? 1
        func expected(_ index: Int) -> Double {
            Double(max(places[index].rate ?? usual, 1)) / Double(places[index].running + 1)
        }
        return open.max { (expected($0), $1) < (expected($1), $0) }
    }

    package mutating func sit(_ ticket: Ticket, at place: Int) {
        seats[ticket] = place
        places[place].running += 1
    }

    /// Notes the recent rate of a connection in bytes per second.
    package mutating func update(_ ticket: Ticket, rate: Int64) {
        guard let place = seats[ticket] else { return }
        places[place].rate = places[place].rate.map { $0 / 2 + rate / 2 } ?? rate
    }

    /// Removes an ended connection. After a failure its source is backed off, longer each time.
    package mutating func remove(_ ticket: Ticket, won: Int64, hasFailed: Bool, at now: Int64) {
        guard let place = seats.removeValue(forKey: ticket) else { return }
        places[place].running -= 1
        if place != 0 { places[place].untold = places[place].untold + max(won, 0) }
        guard hasFailed else {
            places[place].failures = 0
            return
        }
        places[place].failures += 1
        let doublings = min(places[place].failures - 1, 5)
        places[place].restsUntil = now + min(Self.firstRest << Int64(doublings), Self.longestRest)
    }

    /// Drops a source that has another version, or does not send ranges.
    package mutating func drop(_ place: Int) {
        guard place != 0, !places[place].isDropped else { return }
        places[place].isDropped = true
        dropped.append(places[place].url)
    }

    /// Notes that the certificate of a source was rejected. A mirror is not used again.
    package mutating func reject(_ place: Int, _ failure: TransferFailure) {
        rejections[place] = failure
        ban(place)
    }

    /// Ends the use of a mirror.
    package mutating func ban(_ place: Int) {
        if place != 0 { places[place].isDropped = true }
    }

    /// Returns the updates since the last call. `underWay` has the bytes of active connections since they began.
    package mutating func takeStatistics(underWay: [Ticket: Int64]) -> [Statistics] {
        defer { (dropped, rejections) = ([], [:]) }
        var news: [Statistics] = []
        for index in places.indices {
            let rate = places[index].rate
            let bytes = index == 0 ? 0 : places[index].untold + open(at: index, underWay)
            let isOther = dropped.contains(places[index].url)
            let rejection = rejections[index]
            guard bytes > 0 || rate != places[index].reportedRate || isOther || rejection != nil else { continue }
            if index != 0 { places[index].untold -= bytes }
            places[index].reportedRate = rate
            news.append(
                Statistics(
                    url: places[index].url, bytes: bytes, rate: rate, isOfOtherVersion: isOther, rejection: rejection))
        }
        return news
    }

    /// Returns the bytes of active connections to this source. Bytes reported earlier make `untold` negative until the connections
    /// end.
    private func open(at place: Int, _ underWay: [Ticket: Int64]) -> Int64 {
        underWay.reduce(0) { seats[$1.key] == place ? $0 + max($1.value, 0) : $0 }
    }
}
