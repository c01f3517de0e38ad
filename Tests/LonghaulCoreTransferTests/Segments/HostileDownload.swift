import TestSupport

@testable import LonghaulCore

/// A server that is wrong in one way until it is corrected.
final class HostileServer {
    enum Kind: CaseIterable {
        /// While one connection is busy, others receive a page.
        case pages
        /// Only the first request receives the file, and all later ones a page.
        case oneTime
        /// Parts have status 200.
        case slicesWithRange, slices, datedSlices
        /// Some of the further connections receive other bytes.
        case wrongOnce, wrongTwice
        /// The file is replaced and put back, with the same tag or with another one.
        case replaced, replacedWithTag
        /// Several connections cause 403 for five seconds; with or without the end of the first one.
        case bans, bansThatCut
        /// Further connections receive nothing.
        case silence
    }

    typealias World = SegmentMachineWorld

    let kind: Kind
    let tag: String?
    var isRight = false
    private var requests = 0
    private var helpers = 0
    private var bannedUntil: Int64 = 0
    private let wrong: Set<Int>
    private let replacement: Range<Int64>
    private let rate: Int64
    private var chance: SeededChance

    init(_ kind: Kind, tag: String, _ chance: inout SeededChance) {
        self.kind = kind
        self.tag = kind == .datedSlices ? nil : tag
        let begin = Int64.random(in: 200...4_000, using: &chance) * World.millisecond
        replacement = begin..<begin + Int64.random(in: 200...4_000, using: &chance) * World.millisecond
        let first = Int.random(in: 1...4, using: &chance)
        wrong = kind == .wrongOnce ? [first] : [first, first + Int.random(in: 1...3, using: &chance)]
        rate = Int64.random(in: 40...200, using: &chance)
        self.chance = SeededChance(seed: chance.next())
    }

    /// - Parameter active: The number of connections in use.
    func manners(isFirst: Bool, active: Int, at now: Int64) -> World.Manners {
        var manners = World.Manners(tag: tag, rate: rate)
        requests += 1
        if !isFirst { helpers += 1 }
        // The usual interruptions of a long transfer.
        if isFirst, Int.random(in: 0..<3, using: &chance) == 0 {
            manners.breaksAfter = Int64.random(in: 1...12_000, using: &chance)
        }
        if isRight { return manners }
        switch kind {
        case .pages: manners.isPage = active > 0
        case .oneTime: manners.isPage = requests > 1
        case .slicesWithRange: manners.form = .sliceWithRange
        case .slices, .datedSlices: manners.form = .slice
        case .wrongOnce, .wrongTwice: if !isFirst, wrong.contains(helpers) { manners.content = .shifted }
        case .replaced: if replacement.contains(now) { manners.content = .new }
        case .replacedWithTag: if replacement.contains(now) { (manners.content, manners.tag) = (.new, "\"v2\"") }
        case .bans, .bansThatCut:
            if active > 0 { bannedUntil = now + 5_000 * World.millisecond }
            if now < bannedUntil { manners.status = 403 }
        case .silence: if !isFirst { manners.delay = 60_000 }
        }
        return manners
    }
}

/// A download from a hostile server: the machine of the transfer, with a simulated exchange over several connections for each attempt.
struct HostileDownload {
    typealias World = SegmentMachineWorld

    private enum Violation: Error { case wrongFile(String), stuck(String), silentFailure(String), lost(String) }

    private let total: Int64
    private let server: HostileServer
    private var fixture: MachineFixture
    private var chance: SeededChance
    /// The units of each partial file.
    private var disk: [String: [UInt64]] = [:]
    /// Monotonic nanoseconds.
    private var now: Int64 = 1_000 * World.millisecond
    private var actions: [TransferAction] = []
    private let crashes: Bool

    init(_ kind: HostileServer.Kind, seed: UInt64) {
        chance = SeededChance(seed: seed)
        total = Int64.random(in: 5_000...24_000, using: &chance) * World.unit
        let tag = Bool.random(using: &chance) ? "\"v1\"" : "\"6553f100-\(String(total, radix: 16))\""
        server = HostileServer(kind, tag: tag, &chance)
        crashes = Int.random(in: 0..<4, using: &chance) == 0
        let segments = [nil, 2, 4, 16].randomElement(using: &chance) ?? nil
        fixture = .download {
            $0.url = "https://a.example/f"
            $0.options.segments = segments
        }
    }

    /// Runs the download to its end, and retries it from a right server after a failure. Returns whether it succeeded at once.
    mutating func run() throws -> Bool {
        try finish()
        if fixture.state == .succeeded { return true }
        guard case .failed(let failure) = fixture.state, !failure.message.isEmpty else {
            throw Violation.silentFailure("\(fixture.state)")
        }
        server.isRight = true
        feed(.command(.retry))
        try finish()
        guard fixture.state == .succeeded else {
            throw Violation.lost("\(server.kind): \(failure.message), \(fixture.state)")
        }
        return false
    }

    private mutating func feed(_ event: TransferEvent) {
        fixture.now = MachineFixture.start + .milliseconds(now / World.millisecond)
        fixture.random = chance.next()
        actions += fixture.feed(event)
    }

    private mutating func finish() throws {
        for _ in 0..<400 {
            if !actions.isEmpty {
                try perform(actions.removeFirst())
                continue
            }
            switch fixture.state {
            case .waiting(let waiting):
                if let until = waiting.until, until > fixture.now {
                    // The machine's clock has milliseconds.
                    now += (until - fixture.now).microseconds * 1_000 + World.millisecond
                }
                feed(waiting.reason == .turn ? .turnGranted : .due)
            case .succeeded, .failed: return
            case .running, .awaitingResponse, .paused, .cancelled: throw Violation.stuck("\(fixture.state)")
            }
        }
        throw Violation.stuck("\(server.kind) in \(fixture.state)")
    }

    private mutating func perform(_ action: TransferAction) throws {
        switch action {
        case .start(.files(.measurePartial(let path, _, _, let other, _, _))):
            if let other { disk[other] = nil }
            feed(.engine(.partialMeasured(.success(disk[path].map { Int64($0.count) * World.unit }))))
        case .start(.exchange(let plan)): try exchange(plan)
        case .start(.files(.place(let plan))):
            let file = disk[plan.partialPath] ?? []
            let isWhole = [World.Content.old, .new].contains { content in
                Int64(file.count) * World.unit == total
                    && file.indices.allSatisfy { file[$0] == content.unit(Int64($0)) }
            }
            guard isWhole else {
                throw Violation.wrongFile("\(server.kind), \(file.count) units of \(total / World.unit)")
            }
            feed(.engine(.placed(.success(PlacedFile(path: "/tmp/files/film.mp4", leavesPartialFile: true)))))
        case .clean(let task): feed(.cleaned(task, isDone: true))
        case .stop, .release: break
        default: throw Violation.stuck("\(action)")
        }
    }

    private mutating func crash() {
        fixture.machine = TransferMachine(fixture.machine.record)
        actions = []
        feed(.recovered)
    }

    /// The response to the first request of an attempt, and the bytes that follow.
    private mutating func exchange(_ plan: ExchangePlan) throws {
        guard case .partial(var partial) = plan.sink else { return }
        now += 50 * World.millisecond
        let manners = server.manners(isFirst: true, active: 0, at: now)
        let resume = partial.resume
        guard let head = partial.seen(answer(resume, manners)) else { return }
        switch DownloadRule.decide(head: head, resume: resume) {
        case .refuse(let refusal):
            end(ExchangeOutcome(ending: .responded, head: head, disposition: .refused(refusal)))
        case .holdForRestart(let length):
            feed(.engine(.head(head)))
            switch actions.popLast() {
            case .release(.writeFromStart): break
            case .release(.writeBeside(let path)): partial.path = path
            case .stop:
                return end(ExchangeOutcome(ending: .cancelled, head: head))
            default: return end(ExchangeOutcome(ending: .cancelled, head: head))
            }
            partial.resume = nil
            disk[partial.path] = []
            try write(plan, partial, head, manners, 0..<(length ?? total))
        case .write(let start, let length):
            if start == 0 { disk[partial.path] = [] }
            try write(plan, partial, head, manners, start..<start + (length ?? total))
        case .compareThenWrite(let from, let overlap, let length):
            let file = disk[partial.path] ?? []
            let isEqual = (from / World.unit..<(from + overlap) / World.unit).allSatisfy {
                $0 < file.count && file[Int($0)] == manners.content.unit($0)
            }
            guard isEqual else {
                return end(ExchangeOutcome(ending: .responded, head: head, disposition: .overlapDiffers))
            }
            try write(plan, partial, head, manners, from + overlap..<from + (length ?? 0))
        }
    }

    private func answer(_ resume: ResumePoint?, _ manners: World.Manners) -> ResponseHead {
        if let status = manners.status {
            return ResponseHead(status: status, headers: [], effectiveURL: "https://a.example/f")
        }
        if manners.isPage { return World.page }
        guard let resume else { return World.head(manners, status: 200, 0..<total, total) }
        let conditions = ResumeLadder.headers(for: resume).filter {
            $0.name.hasPrefix("If-") && $0.value.hasPrefix("\"")
        }
        guard conditions.allSatisfy({ $0.value == manners.tag || manners.tag == nil }) else {
            return World.head(manners, status: 200, 0..<total, total)
        }
        let status = manners.form == .part ? 206 : 200
        return World.head(manners, status: status, resume.requestedStart..<(resume.end ?? total), total)
    }

    private mutating func end(_ outcome: ExchangeOutcome) {
        if fixture.machine.step != nil { feed(.engine(.exchangeEnded(outcome))) }
    }

    private mutating func write(
        _ plan: ExchangePlan, _ partial: PartialPlan, _ head: ResponseHead, _ manners: World.Manners,
        _ range: Range<Int64>
    ) throws {
        feed(.engine(.receiving(head)))
        if actions.contains(.stop) {
            actions.removeAll { $0 == .stop }
            return end(ExchangeOutcome(ending: .cancelled, head: head))
        }
        var file = disk[partial.path] ?? []
        // A page is shorter than a unit of the simulation.
        if range.upperBound < World.unit {
            disk[partial.path] = [0]
            let written = ExchangeOutcome.Disposition.written(length: range.upperBound, isComplete: true)
            return end(ExchangeOutcome(ending: .responded, head: head, disposition: written))
        }
        let length = Int(max(range.upperBound, Int64(file.count) * World.unit, total) / World.unit)
        if partial.resume?.map == nil { file = Array(file.prefix(Int(range.lowerBound / World.unit))) }
        let before = file.count
        file += Array(repeating: 0, count: max(length - file.count, 0))
        var first = World.Connection(state: .writing, manners: manners, head: head)
        (first.start, first.position) = (range.lowerBound, range.lowerBound)
        (first.end, first.reach, first.receivedAt) = (range.upperBound, range.upperBound, now)
        var run = World(plan, partial, of: file, first: first, at: now, seed: chance.next()) { [server] _, world in
            let active = world.connections.values.count(where: \.isWriting)
            if server.kind == .bansThatCut, !server.isRight, active > 0 {
                for ticket in world.connections.keys { world.connections[ticket]?.manners.breaksAfter = 0 }
            }
            return server.manners(isFirst: false, active: active, at: world.now)
        }
        guard run != nil else { return single(partial, head, manners, range, &file) }
        if crashes, let start = run?.now {
            let end = start + Int64.random(in: 0...20_000, using: &chance) * World.millisecond
            try run?.run { $0.now >= end }
        } else {
            try run?.run()
        }
        guard let run else { return }
        now = run.now
        if let map = run.reportedMap { feed(.engine(.parts(map))) }
        actions.removeAll { if case .release = $0 { true } else { false } }
        // A file without holes is as long as the received bytes.
        let isWithHoles = run.machine.isOpen || partial.resume?.map != nil
        let written = max(Int((run.connections[World.first]?.position ?? 0) / World.unit), before)
        disk[partial.path] = isWithHoles ? run.file : Array(run.file.prefix(written))
        guard let outcome = run.outcome else { return crash() }
        if case .written(let length, _) = outcome.disposition {
            disk[partial.path] = Array(run.file.prefix(Int(length / World.unit)))
        }
        end(outcome)
    }

    /// Receives the body over one connection.
    private mutating func single(
        _ partial: PartialPlan, _ head: ResponseHead, _ manners: World.Manners, _ range: Range<Int64>,
        _ file: inout [UInt64]
    ) {
        let units = range.lowerBound / World.unit..<range.upperBound / World.unit
        let count = min(Int64(units.count), manners.breaksAfter ?? .max)
        for index in units.prefix(Int(count)) { file[Int(index)] = manners.content.unit(index) }
        now += count / max(manners.rate, 1) * World.tick
        let length = (units.lowerBound + count) * World.unit
        if partial.resume?.map == nil { file = Array(file.prefix(Int(length / World.unit))) }
        disk[partial.path] = file
        let isComplete = count == Int64(units.count)
        var outcome = ExchangeOutcome(ending: isComplete ? .responded : World.lost, head: head)
        outcome.disposition = .written(length: length, isComplete: isComplete)
        end(outcome)
    }
}
