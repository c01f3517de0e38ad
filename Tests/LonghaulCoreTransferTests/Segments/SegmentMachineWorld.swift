import TestSupport

@testable import LonghaulCore

/// A ``SegmentMachine`` with simulated connections, servers, file, and loop.
///
/// The file consists of units of 1 KiB, each with a number for its content. A connection has a number for the content that it sends.
struct SegmentMachineWorld {
    static let unit: Int64 = 1_024
    static let millisecond: Int64 = 1_000_000
    static let tick: Int64 = 50 * Self.millisecond
    private static let network = NetworkOptions()

    /// The fault of a response.
    enum Content: UInt64 {
        case old, new, shifted
        /// Differs from `old` in one of 61 units only, so that comparing overlaps does not find it as a rule.
        case sparse

        func unit(_ index: Int64) -> UInt64 {
            let isOld = self == .old || self == .sparse && index % 61 != 60
            let kind: UInt64 = isOld ? 0 : rawValue
            return (UInt64(index) << 2 | kind) &* 0x9E37_79B9_7F4A_7C15 | 1
        }
    }

    /// The form of a response with part of the file.
    enum PartForm {
        case part
        /// Status 200, with and without `Content-Range`.
        case sliceWithRange, slice
    }

    /// A server's behavior for one request.
    struct Manners {
        var content = Content.old
        var tag: String? = "\"v1\""
        var status: Int?
        /// Whether it sends a page, with status 200, instead of the file.
        var isPage = false
        var form = PartForm.part
        var honorsConditions = true
        var honorsRange = true
        /// The most units of a part; `nil` for all.
        var longest: Int64?
        /// After how many units the connection breaks.
        var breaksAfter: Int64?
        /// The number of units after which the connection stalls.
        var stallsAfter: Int64?
        var answers = true
        /// Why its connections fail; `nil` if they do not.
        var failure: TransferFailure?
        /// Milliseconds until its response; `nil` for up to 200.
        var delay: Int64?
        /// Units in each tick.
        var rate: Int64 = 100
        /// Whether it sends the bytes of a second at once.
        var isBursty = false
        /// The file's age by the server's clock, in milliseconds.
        var age: Int64 = 1_000_000
    }

    struct Connection {
        enum State {
            case connecting(until: Int64)
            /// Reads the overlap before `end`.
            case comparing(position: Int64, end: Int64, isLater: Bool)
            case writing
            case settling(until: Int64, ExchangeOutcome)
            case over
        }

        var state: State
        var point: ResumePoint?
        var manners = Manners()
        var head: ResponseHead?
        var start: Int64 = 0
        var position: Int64 = 0
        var end: Int64 = 0
        /// Where its response ends.
        var reach: Int64 = 0
        var received: Int64 = 0
        var receivedAt: Int64 = 0

        var isWriting: Bool { if case .writing = state { true } else { false } }
    }

    enum Violation: Error, Equatable {
        case stuck, writtenTwice(Int64), mixed(SegmentMap), missing(Int64), concludedTwice, joinsForever
    }

    let total: Int64
    let partial: PartialPlan
    var chance: SeededChance
    var machine: SegmentMachine
    var connections: [Ticket: Connection] = [:]
    var now: Int64
    var file: [UInt64]
    /// The units that were written in this attempt.
    var written: [Bool]
    var news: [(Ticket, SegmentEvent)] = []
    var syncEnds: Int64?
    var granting: (count: Int, at: Int64)?
    var opening: Int64?
    var nextLook: Int64 = 0
    private(set) var reportedMap: SegmentMap?
    private(set) var outcome: ExchangeOutcome?
    private(set) var requests: [SegmentAction.Request] = []
    private(set) var mostWriting = 0
    private(set) var checks = 0
    var received: Int64 = 0
    /// The most connections that the loop allows.
    var allowed = 64
    /// One in this many syncs fails; 0 for none.
    var failingSyncs = 0
    /// Decides the response to a request.
    var server: (SegmentAction.Request, inout SegmentMachineWorld) -> Manners

    static let first = Ticket(7)

    static func plan(_ partial: PartialPlan) -> ExchangePlan {
        ExchangePlan(
            method: "GET", url: "https://a.example/f", headers: [], body: nil, sink: .partial(partial),
            network: CopyOnWrite(Self.network), followsOnlyRepeatingRedirects: false)
    }

    static func partial(segments: Int?, isProven: Bool = false, mirrors: Int = 0) -> PartialPlan {
        var partial = PartialPlan(path: "f", resume: nil, digests: [])
        partial.segments = segments
        let places = (0..<mirrors).map {
            MirrorPlan.Place(url: "https://mirror\($0).example/f", headers: [], isAtHome: false)
        }
        partial.mirrors = MirrorPlan(places: places, isProvenByDigest: isProven)
        return partial
    }

    /// Starts with the response to the first request of an attempt.
    init?(
        _ plan: ExchangePlan, _ partial: PartialPlan, of file: [UInt64], first: Connection, at now: Int64, seed: UInt64,
        server: @escaping (SegmentAction.Request, inout SegmentMachineWorld) -> Manners
    ) {
        total = Int64(file.count) * Self.unit
        (self.partial, self.server, self.file, self.now) = (partial, server, file, now)
        chance = SeededChance(seed: seed)
        written = Array(repeating: false, count: file.count)
        guard let head = first.head, let url = try? TransferURL(parsing: head.effectiveURL) else { return nil }
        let start = SegmentStart(
            ticket: Self.first, plan: plan, partial: partial, head: head, url: url, range: first.start..<first.reach,
            isShared: partial.resume?.map != nil, now: now)
        guard let machine = SegmentMachine(start, read: { Self.bytes($0, in: file) }) else { return nil }
        self.machine = machine
        connections[Self.first] = first
    }

    /// Starts with a whole response.
    init?(
        total: Int64, _ partial: PartialPlan, first manners: Manners = Manners(), seed: UInt64,
        server: @escaping (SegmentAction.Request, inout SegmentMachineWorld) -> Manners
    ) {
        (self.total, self.partial, self.server) = (total, partial, server)
        chance = SeededChance(seed: seed)
        now = Int64.random(in: 1...1_000, using: &chance) * Self.millisecond
        file = Array(repeating: 0, count: Int(total / Self.unit))
        written = Array(repeating: false, count: file.count)
        var connection = Connection(state: .writing, manners: manners)
        let head = Self.head(manners, status: 200, 0..<total, total)
        (connection.head, connection.end, connection.reach) = (head, total, total)
        guard let url = try? TransferURL(parsing: "https://a.example/f") else { return nil }
        let start = SegmentStart(
            ticket: Self.first, plan: Self.plan(partial), partial: partial, head: head, url: url, range: 0..<total,
            isShared: false, now: now)
        guard let machine = SegmentMachine(start, read: { _ in [] }) else { return nil }
        self.machine = machine
        connections[Self.first] = connection
    }

    static func head(_ manners: Manners, status: Int, _ range: Range<Int64>, _ total: Int64) -> ResponseHead {
        let modified = WallTime(seconds: 1_700_000_000)
        let replied = modified + .milliseconds(manners.age)
        var headers = [
            HeaderField("Accept-Ranges", "bytes"), HeaderField("Content-Type", "application/octet-stream"),
            HeaderField("Last-Modified", HTTPDate.format(modified)), HeaderField("Date", HTTPDate.format(replied)),
            HeaderField("Content-Length", "\(range.upperBound - range.lowerBound)"),
        ]
        if let tag = manners.tag { headers.append(HeaderField("ETag", tag)) }
        if status == 206 || status == 200 && manners.form == .sliceWithRange && range != 0..<total {
            headers.append(
                HeaderField("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)"))
        }
        return ResponseHead(status: status, headers: headers, effectiveURL: "https://a.example/f")
    }
}

// What happens in time.
extension SegmentMachineWorld {
    /// Runs until the end, or until `isOver` returns true. The limit is in ticks, far beyond the slowest download.
    mutating func run(limit: Int = 40_000, until isOver: (Self) -> Bool = { _ in false }) throws {
        for _ in 0..<limit {
            if outcome != nil || isOver(self) { return }
            try step()
        }
        throw Violation.stuck
    }

    private mutating func step() throws {
        now += Self.tick
        for ticket in connections.keys.sorted(by: { $0.number < $1.number }) { try move(ticket) }
        mostWriting = max(mostWriting, connections.values.count(where: \.isWriting))
        if let end = syncEnds, now >= end {
            syncEnds = nil
            let fails = failingSyncs > 0 && Int.random(in: 0..<failingSyncs, using: &chance) == 0
            try handle(.synced(fails ? TransferFailure(.fileFailed, "The disk failed.") : nil))
        }
        if let (count, at) = granting, now >= at {
            granting = nil
            try handle(.granted(count))
            try measure()
        }
        if let at = opening, now >= at {
            opening = nil
            try handle(.opened)
        }
        if now >= nextLook { try measure() }
        while !news.isEmpty {
            let (ticket, event) = news.removeFirst()
            if case .ended(_, let end) = event {
                connections[ticket] = nil
                // Until the file may have holes, the end of the first connection is that of the whole.
                if !machine.isOpen { outcome = end }
            }
            try handle(event)
        }
    }

    private mutating func measure() throws {
        nextLook = now + machine.checkInterval
        try handle(.measured(SegmentEvent.Measurement(received: received)))
    }

    var sight: SegmentSnapshot {
        let files = connections.filter(\.value.isWriting).mapValues {
            // The last bytes are not written yet.
            SegmentSnapshot.File(
                start: $0.start, received: $0.position, written: max($0.position - 3 * Self.unit, $0.start),
                end: $0.end)
        }
        return SegmentSnapshot(now: now, files: files)
    }

    mutating func handle(_ event: SegmentEvent) throws {
        for action in machine.handle(event, sight) { try act(action) }
    }

    private mutating func act(_ action: SegmentAction) throws {
        switch action {
        case .request(let request):
            requests.append(request)
            let manners = server(request, &self)
            let delay = manners.delay ?? Int64.random(in: 1...200, using: &chance)
            connections[request.ticket] = Connection(
                state: .connecting(until: now + delay * Self.millisecond), point: request.point, manners: manners)
        case .check(let ticket, _, let ranges, _, _):
            let point = ResumePoint(length: ranges[0].lowerBound, overlap: 0, validators: machine.version.validators)
            let request = SegmentAction.Request(
                ticket: ticket, source: .servingURL, point: point, connection: .any)
            let manners = server(request, &self)
            checks += 1
            connections[ticket] = Connection(state: .over, manners: manners)
            news.append((ticket, .ended(ticket, outcome(of: ranges, manners))))
        case .extend(let ticket, let end):
            guard let connection = connections[ticket], connection.isWriting else { return }
            connections[ticket]?.end = max(connection.end, end)
        case .endStopped:
            for (ticket, connection) in connections
            where connection.isWriting && connection.end < connection.reach && connection.position >= connection.end {
                try conclude(ticket, .responded)
            }
        case .cancel(let ticket): try cancel(ticket)
        case .compare(let overlaps):
            try handle(.compared(overlaps, overlaps.allSatisfy { bytes($0.range) == $0.sample } ? .agrees : .differs))
        case .sync: syncEnds = now + Int64.random(in: 1...400, using: &chance) * Self.millisecond
        case .openFile, .report: break
        case .failFirst(let failure): outcome = ExchangeOutcome(ending: .broke(failure))
        case .reportMap(let map):
            reportedMap = map
            try check(map)
            if !machine.isOpen { opening = now + 20 * Self.millisecond }
        case .reportSources: break
        case .want(let count):
            granting = (min(count, allowed), now + Int64.random(in: 1...300, using: &chance) * Self.millisecond)
        case .checkSoon: nextLook = now
        case .conclude(let end):
            if outcome != nil { throw Violation.concludedTwice }
            outcome = end
        }
    }

    /// Returns the bytes of a range, up to the size of a sample.
    func bytes(_ range: Range<Int64>) -> [UInt8] { Self.bytes(range, in: file) }

    static func bytes(_ range: Range<Int64>, in file: [UInt64]) -> [UInt8] {
        guard !range.isEmpty else { return [] }
        let units = range.lowerBound / unit...(range.upperBound - 1) / unit
        let all = units.flatMap { bytes(file[Int($0)]) }
        let start = Int(range.lowerBound - units.lowerBound * unit)
        return Array(all[start..<start + Int(range.upperBound - range.lowerBound)])
    }

    static func bytes(_ value: UInt64) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(unit))
        for index in 0..<8 { bytes[index] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(index))) }
        return bytes
    }

    /// Checks that no range of a map has bytes of two versions, or bytes that no connection wrote. A range without a neighbor may be
    /// shifted.
    private func check(_ map: SegmentMap, _ versions: [Content] = [.old, .new, .shifted]) throws {
        for range in map.ranges where !partial.mirrors.isProvenByDigest {
            let units = range.lowerBound / Self.unit..<range.upperBound / Self.unit
            let isOfOne = versions.contains { content in
                units.allSatisfy { file[Int($0)] == content.unit($0) }
            }
            if !isOfOne { throw Violation.mixed(SegmentMap([range])) }
        }
    }

    /// The whole is of one version.
    func checkWhole() throws { try check(SegmentMap([0..<total]), [.old, .new]) }
}

// A crash.
extension SegmentMachineWorld {
    /// Kills and restarts the process. Bytes that were not synced may be lost. Returns `false` if no part of the file can be used.
    mutating func restart(first manners: Manners) throws -> Bool {
        let isProven = partial.mirrors.isProvenByDigest
        guard let told = reportedMap, machine.isOpen else { return false }
        for index in file.indices
        where !told.contains(SegmentMap([Int64(index) * Self.unit..<Int64(index + 1) * Self.unit])) {
            if Bool.random(using: &chance) { file[index] = 0 }
        }
        let map = isProven ? told : told.withoutHeads()
        var validators = machine.version.validators
        if isProven { validators = validators.elsewhere(isProvenByDigest: true) }
        guard case .resume(let point) = ResumeLadder.plan(map, validators: validators, hasTrustedDigest: isProven)
        else { return false }
        (connections, news, outcome) = ([:], [], nil)
        written = Array(repeating: false, count: file.count)
        (syncEnds, granting, opening, nextLook) = (nil, nil, nil, now)
        connections[Self.first] = Connection(state: .connecting(until: now), point: point, manners: manners)
        answer(Self.first)
        guard let head = connections[Self.first]?.head, let reach = connections[Self.first]?.reach else { return false }
        while case .comparing = connections[Self.first]?.state { try compare(Self.first) }
        guard connections[Self.first]?.isWriting == true, let start = connections[Self.first]?.start else {
            return false
        }
        var plan = partial
        plan.resume = point
        let url = try TransferURL(parsing: "https://a.example/f")
        let begin = SegmentStart(
            ticket: Self.first, plan: Self.plan(plan), partial: plan, head: head, url: url, range: start..<reach,
            isShared: true, now: now)
        guard let machine = SegmentMachine(begin, read: { bytes($0) }) else { return false }
        self.machine = machine
        reportedMap = map
        return true
    }
}
