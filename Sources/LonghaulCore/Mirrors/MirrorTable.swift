/// The sources of one download, and the results of requests to each of them.
///
/// The first source is the submitted URL; the others are its mirrors. Only one of them is current in this table; the engine assigns
/// further connections (`MirrorSelector`).
package struct MirrorTable: Equatable, Sendable {
    package typealias Standing = MirrorReport.Standing

    /// One of the sources.
    package struct Place: Equatable, Sendable {
        package var url: String
        /// Bytes of the partial file that came from it.
        package var bytes: Int64 = 0
        /// The recent rate of each connection to it, in bytes per second.
        package var rate: Int64?
        /// Consecutive failures.
        package var failures = 0
        /// Until then it is used only if all others are backed off for longer.
        package var restsUntil: WallTime?
        package var standing = Standing.good
        /// The last failure, until it sends bytes.
        package var failure: TransferFailure?

        package init(url: String) {
            self.url = url
        }
    }

    /// The next step of a download after a source has failed.
    package enum Choice: Equatable, Sendable {
        /// Continue from this source.
        case use(Int)
        /// Discard the partial file, because only this source is left and has another version.
        case beginAnew(Int)
        /// All are backed off; this one ends first, at that time.
        case wait(Int, until: WallTime)
        case nobody
    }

    /// The maximum number for a download.
    package static let mostPlaces = 64
    /// After this many consecutive failures, a source that alone has the version is given up together with it.
    private static let patience = 3

    package var places: [Place] = []
    /// The current source.
    package var current = 0
    /// The source that stated the version of the partial file; `nil` if there is none.
    package var origin: Int?

    /// Initializes the URLs in order of preference. The first one is kept even if another is the same.
    package init(_ urls: [String]) {
        add(urls)
    }

    package var url: String { places.indices.contains(current) ? places[current].url : "" }

    /// Whether the partial file came from another source than the current one.
    package var isElsewhere: Bool { origin.map { $0 != current } ?? false }

    /// Adds new sources.
    package mutating func add(_ urls: [String]) {
        for url in urls where places.count < Self.mostPlaces && !places.contains(where: { $0.url == url }) {
            places.append(Place(url: url))
        }
    }

    /// Replaces the submitted URL.
    package mutating func replaceFirst(by url: String) {
        guard !places.isEmpty, places[0].url != url else { return }
        places[0] = Place(url: url)
        if origin == 0 { origin = nil }
        current = 0
    }

    /// Notes that the current source stated the version of the bytes written from now on.
    package mutating func acceptVersion() {
        origin = current
        for index in places.indices { places[index].bytes = 0 }
    }

    /// Discards the current version. Sources with another version may provide the next one.
    package mutating func forgetVersion() {
        origin = nil
        for index in places.indices {
            places[index].bytes = 0
            if places[index].standing == .otherVersion { places[index].standing = .good }
        }
    }

    /// Notes that the bytes are of the version that the source at this URL has.
    mutating func restoreVersion(of url: String) {
        forgetVersion()
        guard let index = places.firstIndex(where: { $0.url == url }) else { return }
        current = index
        acceptVersion()
    }

    /// Resets all sources except banned ones, because the user retries the transfer.
    package mutating func forgive() {
        for index in places.indices where !isBanned(index) {
            places[index].failures = 0
            places[index].restsUntil = nil
            places[index].standing = .good
            places[index].failure = nil
        }
    }

    /// Credits new bytes to the current source, unless `credit` assigns them to another one.
    package mutating func won(_ bytes: Int64) {
        guard bytes > 0, places.indices.contains(current) else { return }
        places[current].bytes = places[current].bytes + bytes
        places[current].failures = 0
        places[current].restsUntil = nil
        places[current].failure = nil
    }

    /// Credits bytes of connections to other sources, which are part of those passed to `won`.
    package mutating func credit(_ url: String, _ bytes: Int64) {
        guard let index = places.firstIndex(where: { $0.url == url }), index != current else { return }
        places[index].bytes = places[index].bytes + max(bytes, 0)
        places[current].bytes = places[current].bytes - max(bytes, 0)
    }

    package mutating func update(rate: Int64, of url: String) {
        guard let index = places.firstIndex(where: { $0.url == url }) else { return }
        places[index].rate = rate
    }

    /// Lowers the standing of the source at this URL.
    package mutating func lower(_ url: String, to standing: Standing) {
        guard let index = places.firstIndex(where: { $0.url == url }) else { return }
        if standing.wireNumber > places[index].standing.wireNumber { places[index].standing = standing }
    }

    /// How long the current source may be silent while another one is available; `nil` if none is. It doubles with each failure, so
    /// that slow sources get their time.
    var silenceLimit: Duration? {
        let hasOther = places.indices.contains { $0 != current && places[$0].standing == .good }
        return hasOther ? .seconds(2 << min(places[current].failures, 10)) : nil
    }

    /// Notes why a source failed.
    mutating func recordFailure(_ failure: TransferFailure, of url: String) {
        guard let index = places.firstIndex(where: { $0.url == url }) else { return }
        places[index].failure = failure
    }

    /// The most informative failure if no source provided the file, with the name of its source.
    var tellingFailure: TransferFailure? {
        let failed = places.indices.filter { !isBanned($0) }.compactMap { index in
            places[index].failure.map { ($0, places[index].url) }
        }
        guard let (failure, url) = failed.min(by: { $0.0.rank < $1.0.rank }) else { return nil }
        guard places.indices.contains(where: isBanned) else { return failure.naming(url) }
        let rejected = failed.first { $0.0.isAboutCertificate }
        return (rejected?.0 ?? failure).naming(rejected?.1 ?? url).explainingBan
    }

    /// The current source failed, and is backed off until then.
    package mutating func rest(until date: WallTime) {
        places[current].failures += 1
        places[current].restsUntil = date
    }

    /// The current source could not be reached, which is not its fault.
    package mutating func leaveAlone(until date: WallTime) { places[current].restsUntil = date }

    /// Name resolution failed for the current source, which says nothing about the others: one of them becomes the current one.
    /// Returns `nil` if all of them wait, or if another one would lose the bytes on disk; then the transfer waits for the network.
    mutating func leaveUnresolved(until date: WallTime, at now: WallTime, isProven: Bool) -> Choice? {
        leaveAlone(until: date)
        let next = choice(at: now, isProven: isProven)
        switch next {
        case .use(let place):
            current = place
            return next
        case .wait(let place, _):
            current = place
            return nil
        case .beginAnew, .nobody: return nil
        }
    }

    package func failuresOfCurrent() -> Int { places[current].failures }

    /// Returns the next step. `isProven` means that a source with another version would be detected.
    package func choice(at now: WallTime, isProven: Bool) -> Choice {
        let alone = isProven ? nil : origin
        let fit = places.indices.filter { places[$0].standing == .good && (alone == nil || alone == $0) }
        let others = places.indices.filter { places[$0].standing != .refused && !fit.contains($0) }
        if let alone, fit == [alone], places[alone].failures >= Self.patience, let other = best(of: others, at: now) {
            return .beginAnew(other)
        }
        if let next = best(of: fit, at: now) { return .use(next) }
        let waking = fit.compactMap { index in places[index].restsUntil.map { (index, $0) } }.min { $0.1 < $1.1 }
        if let (index, date) = waking { return .wait(index, until: date) }
        return (best(of: others, at: now) ?? others.first).map(Choice.beginAnew) ?? .nobody
    }

    /// Among the sources that are not backed off, returns the one with the fewest failures; then the fastest known; otherwise the
    /// first.
    private func best(of indices: [Int], at now: WallTime) -> Int? {
        indices.filter { places[$0].restsUntil.map { $0 <= now } ?? true }.min { left, right in
            let (a, b) = (places[left], places[right])
            if a.failures != b.failures { return a.failures < b.failures }
            if a.rate != b.rate { return (a.rate ?? 0) > (b.rate ?? 0) }
            return left < right
        }
    }
}
