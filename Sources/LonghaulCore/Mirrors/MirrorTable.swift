/// The places from which one download can be fetched, and what became of asking each of them.
///
/// The first place is the URL that was asked for; the others are its mirrors. Only one of them is asked at a time as far as this table
/// is concerned; the connections of a crew are its engine's (`MirrorBoard`).
package struct MirrorTable: Equatable, Sendable {
    package typealias Standing = MirrorReport.Standing

    /// One of the places.
    package struct Place: Equatable, Sendable {
        package var url: String
        /// Bytes of what there is that came from it.
        package var bytes: Int64 = 0
        /// How fast each connection with it was of late, in bytes a second.
        package var rate: Int64?
        /// Failures in a row.
        package var failures = 0
        /// Before that it is asked only if all others rest for longer.
        package var restsUntil: WallTime?
        package var standing = Standing.good
        /// The last failure, until bytes come from it.
        package var failure: TransferFailure?

        package init(url: String) {
            self.url = url
        }
    }

    /// What a download does when a place has failed.
    package enum Choice: Equatable, Sendable {
        /// It goes on from this one.
        case ask(Int)
        /// It gives up what there is, of which only this one has another version.
        case beginAnew(Int)
        /// All rest, this one not beyond this date.
        case wait(Int, until: WallTime)
        case nobody
    }

    /// The most that a download can have.
    package static let mostPlaces = 64
    /// So many failures in a row, and a place that alone has the version is given up together with it.
    private static let patience = 3

    package var places: [Place] = []
    /// The place that is asked.
    package var current = 0
    /// The place that told which version there is the beginning of; `nil` while that is nobody's.
    package var origin: Int?

    /// Takes URLs in the order in which they are to be asked. The first one is there even if another is the same.
    package init(_ urls: [String]) {
        add(urls)
    }

    package var url: String { places.indices.contains(current) ? places[current].url : "" }

    /// Whether what there is came from another place than the one that is asked.
    package var isElsewhere: Bool { origin.map { $0 != current } ?? false }

    /// Adds places that are not there yet.
    package mutating func add(_ urls: [String]) {
        for url in urls where places.count < Self.mostPlaces && !places.contains(where: { $0.url == url }) {
            places.append(Place(url: url))
        }
    }

    /// The URL that was asked for was replaced.
    package mutating func replaceFirst(by url: String) {
        guard !places.isEmpty, places[0].url != url else { return }
        places[0] = Place(url: url)
        if origin == 0 { origin = nil }
        current = 0
    }

    /// The place that is asked told the version of what is written from now on.
    package mutating func acceptVersion() {
        origin = current
        for index in places.indices { places[index].bytes = 0 }
    }

    /// Nothing of what there is counts any more, and whoever had another version may have the next one.
    package mutating func forgetVersion() {
        origin = nil
        for index in places.indices {
            places[index].bytes = 0
            if places[index].standing == .otherVersion { places[index].standing = .good }
        }
    }

    /// The bytes are those of the version that the place at this URL has.
    mutating func restoreVersion(of url: String) {
        forgetVersion()
        guard let index = places.firstIndex(where: { $0.url == url }) else { return }
        current = index
        acceptVersion()
    }

    /// All are as good as they were at first: a person asks to try again.
    package mutating func forgive() {
        for index in places.indices {
            places[index].failures = 0
            places[index].restsUntil = nil
            places[index].standing = .good
            places[index].failure = nil
        }
    }

    /// So many more bytes are there, which the place that is asked has brought unless another one is said to have.
    package mutating func won(_ bytes: Int64) {
        guard bytes > 0, places.indices.contains(current) else { return }
        places[current].bytes = places[current].bytes + bytes
        places[current].failures = 0
        places[current].restsUntil = nil
        places[current].failure = nil
    }

    /// What connections with other places have brought, which counts among what is won.
    package mutating func credit(_ url: String, _ bytes: Int64) {
        guard let index = places.firstIndex(where: { $0.url == url }), index != current else { return }
        places[index].bytes = places[index].bytes + max(bytes, 0)
        places[current].bytes = places[current].bytes - max(bytes, 0)
    }

    package mutating func note(rate: Int64, of url: String) {
        guard let index = places.firstIndex(where: { $0.url == url }) else { return }
        places[index].rate = rate
    }

    /// The place at this URL turned out to be good for less.
    package mutating func lower(_ url: String, to standing: Standing) {
        guard let index = places.firstIndex(where: { $0.url == url }) else { return }
        if standing.wireNumber > places[index].standing.wireNumber { places[index].standing = standing }
    }

    /// How long the current source may be silent while another one is at hand; `nil` if none is. It doubles with each failure, so
    /// that sources that are all slow get their time.
    var silenceLimit: Duration? {
        let hasOther = places.indices.contains { $0 != current && places[$0].standing == .good }
        return hasOther ? .seconds(2 << min(places[current].failures, 10)) : nil
    }

    /// Notes why a source failed.
    mutating func note(_ failure: TransferFailure, of url: String) {
        guard let index = places.firstIndex(where: { $0.url == url }) else { return }
        places[index].failure = failure
    }

    /// The failure that says most about why no source gave the file, with the name of its source.
    var tellingFailure: TransferFailure? {
        let failed = places.compactMap { place in place.failure.map { ($0, place.url) } }
        guard let (failure, url) = failed.min(by: { $0.0.rank < $1.0.rank }) else { return nil }
        return failure.naming(url)
    }

    /// The place that is asked did not answer as it should, and rests until this date.
    package mutating func rest(until date: WallTime) {
        places[current].failures += 1
        places[current].restsUntil = date
    }

    /// The current place could not be reached, without a fault of that place.
    package mutating func leaveAlone(until date: WallTime) { places[current].restsUntil = date }

    /// The name server failed for the current place, which says nothing about the others: one of them becomes the current one.
    /// `nil` if all of them wait, or if another one would lose the bytes on disk; then the transfer waits for the network.
    mutating func leaveUnresolved(until date: WallTime, at now: WallTime, isProven: Bool) -> Choice? {
        leaveAlone(until: date)
        let next = choice(at: now, isProven: isProven)
        switch next {
        case .ask(let place):
            current = place
            return next
        case .wait(let place, _):
            current = place
            return nil
        case .beginAnew, .nobody: return nil
        }
    }

    package func failuresOfCurrent() -> Int { places[current].failures }

    /// What comes next. `isProven` tells whether a place that does not have this version would be found out.
    package func choice(at now: WallTime, isProven: Bool) -> Choice {
        let alone = isProven ? nil : origin
        let fit = places.indices.filter { places[$0].standing == .good && (alone == nil || alone == $0) }
        let others = places.indices.filter { places[$0].standing != .refused && !fit.contains($0) }
        if let alone, fit == [alone], places[alone].failures >= Self.patience, let other = best(of: others, at: now) {
            return .beginAnew(other)
        }
        if let next = best(of: fit, at: now) { return .ask(next) }
        let waking = fit.compactMap { index in places[index].restsUntil.map { (index, $0) } }.min { $0.1 < $1.1 }
        if let (index, date) = waking { return .wait(index, until: date) }
        return (best(of: others, at: now) ?? others.first).map(Choice.beginAnew) ?? .nobody
    }

    /// Of those that do not rest, the one with the fewest failures; of these the fastest that is known; else the first.
    private func best(of indices: [Int], at now: WallTime) -> Int? {
        indices.filter { places[$0].restsUntil.map { $0 <= now } ?? true }.min { left, right in
            let (a, b) = (places[left], places[right])
            if a.failures != b.failures { return a.failures < b.failures }
            if a.rate != b.rate { return (a.rate ?? 0) > (b.rate ?? 0) }
            return left < right
        }
    }
}
