import LonghaulCore
import Synchronization

/// An engine over the simulated world. Each call of `advance` advances jobs by one visible step.
final class SimulatedEngine: SteppedEngine {
    private struct Work {
        var job: EngineJob
        var stage = 0
        var decisions: [ReleaseDecision] = []
        var isCancelled = false
        /// The valid ranges of a download in parts, as its engine knows them.
        var map = SegmentMap()
    }

    private let world: SimulatedWorld
    private let works = Mutex<[Work]>([])
    /// Bodies without a file, by their partial paths: they are lost with the engine.
    private let held = Mutex<Set<String>>([])

    init(_ world: SimulatedWorld) {
        self.world = world
    }

    func start(_ plan: ExchangePlan, as ticket: Ticket, named name: ExchangeID?) {
        works.withLock { $0.append(Work(job: EngineJob(ticket: ticket, work: .exchange(plan), exchange: name))) }
    }

    func start(_ work: FileWork, as ticket: Ticket) {
        works.withLock { $0.append(Work(job: EngineJob(ticket: ticket, work: .files(work)))) }
    }

    /// File jobs of the simulated world end at once.
    func interrupt(_ ticket: Ticket) {}

    func cancel(_ ticket: Ticket) {
        change(ticket) { $0.isCancelled = true }
    }

    func release(_ ticket: Ticket, _ decision: ReleaseDecision) {
        change(ticket) { work in
            work.decisions.append(decision)
            guard case .exchange(let plan) = work.job.work, plan.url == SimulatedWorld.changed else { return }
            switch decision {
            // The download begins now.
            case .writeFromStart, .writeBeside: work.stage = 0
            case .sendRest, .openSegments: break
            }
        }
    }

    func progress(of ticket: Ticket) -> ExchangeProgress? {
        guard let work = works.withLock({ $0.first { $0.job.ticket == ticket } }),
            case .exchange(let plan) = work.job.work
        else { return nil }
        return ExchangeProgress(sent: work.stage > 0 ? plan.body?.length ?? 0 : 0, received: 0)
    }
    func setRateLimit(_ bytesPerSecond: Int64?, of ticket: Ticket) {}
    func setAllowance(_ bytes: Int64?, of ticket: Ticket) {}
    func shutDown() { works.withLock { $0 = [] } }

    func advance() -> [(Ticket, EngineEvent)] {
        var events: [(Ticket, EngineEvent)] = []
        for work in works.withLock({ $0 }) {
            let ticket = work.job.ticket
            let event = work.isCancelled ? cancelled(work) : step(work)
            change(ticket) { $0.stage += 1 }
            guard let event else { continue }
            events.append((ticket, event))
            if event.isEnding { works.withLock { works in works.removeAll { $0.job.ticket == ticket } } }
        }
        return events
    }

    private func change(_ ticket: Ticket, _ body: (inout Work) -> Void) {
        works.withLock { works in
            if let index = works.firstIndex(where: { $0.job.ticket == ticket }) { body(&works[index]) }
        }
    }

    private func cancelled(_ work: Work) -> EngineEvent? {
        switch work.job.work {
        case .exchange(let plan):
            var outcome = ExchangeOutcome(ending: .cancelled, bytesSent: sent(plan))
            if plan.url == SimulatedWorld.parted, work.stage > 2 { return .exchangeEnded(outcome) }
            if case .partial(let partial) = plan.sink, let file = world.now.partials[partial.path] {
                outcome.disposition = .written(length: file.length, isComplete: false)
            }
            return .exchangeEnded(outcome)
        case .files: return step(work)
        }
    }

    private func step(_ work: Work) -> EngineEvent? {
        switch work.job.work {
        case .exchange(let plan):
            switch plan.sink {
            case .partial(let partial):
                if plan.url == SimulatedWorld.small, partial.mayBeHeld { return hold(partial, work.stage) }
                if plan.url == SimulatedWorld.parted { return downloadParts(partial, work) }
                if plan.url == SimulatedWorld.changed, partial.resume != nil { return downloadChanged(partial, work) }
                return download(partial, work.stage)
            case .memory:
                return plan.headers.single("Tus-Resumable") != nil || plan.method == "OPTIONS"
                    ? tus(plan, work) : send(plan, work)
            }
        case .files(let job): return step(job, stage: work.stage)
        }
    }

    private func step(_ work: FileWork, stage: Int) -> EngineEvent {
        switch work {
        case .inspectSources(let paths, _):
            return .sourcesInspected(paths.map { _ in .success(CrashScenario.pin) })
        case .measurePartial(let path, _, let source, let other, let move, _):
            if let other { world.update { $0.partials[other] = nil } }
            if let move { world.update { state in state.move(move, to: path) } }
            if let source, stage == 0 { return copy(source, to: path) }
            guard let partial = world.now.partials[path] else { return .partialMeasured(.success(nil)) }
            let isPlaced = world.now.finals.values.contains { $0.identity == partial.identity }
            return isPlaced && stage == 0
                ? .checkpoint(partial.length) : .partialMeasured(.success(partial.length))
        case .place(let plan): return .placed(.success(place(plan)))
        case .checkPieces(let check):
            return .piecesChecked(.success(PieceReport(good: SegmentMap([0..<check.total]))))
        case .discard(let paths):
            world.update { state in
                for path in paths {
                    state.partials[path] = nil
                    state.staged.remove(path)
                }
            }
            return .discarded(nil)
        }
    }

    private func copy(_ source: SourceFile, to path: String) -> EngineEvent {
        world.update { state in
            let all = SegmentMap([0..<source.pin.size])
            state.partials[path] = SimulatedWorld.Partial(
                identity: state.nextIdentity, length: source.pin.size, good: all, synced: all)
            state.nextIdentity += 1
        }
        return .checkpoint(source.pin.size)
    }

    private func download(_ plan: PartialPlan, _ stage: Int) -> EngineEvent? {
        let size = SimulatedWorld.fileSize
        switch stage {
        case 0:
            world.update { state in
                let kept = plan.resume?.length ?? 0
                var file =
                    plan.resume == nil
                    ? SimulatedWorld.Partial(identity: state.nextIdentity, length: 0)
                    : state.partials[plan.path] ?? SimulatedWorld.Partial(identity: 0, length: 0)
                state.nextIdentity += 1
                file.length = kept
                file.good = file.good.clipped(to: kept)
                file.synced = file.synced.clipped(to: kept)
                state.partials[plan.path] = file
            }
            return .receiving(.file())
        case 1, 3:
            win(plan.path, stage == 1 ? 300 : 300)
            return nil
        case 2:
            let length = world.update { state -> Int64 in
                let length = state.partials[plan.path]?.length ?? 0
                state.partials[plan.path]?.sync()
                return length
            }
            return .checkpoint(length)
        default:
            win(plan.path, size)
            return .exchangeEnded(
                ExchangeOutcome(
                    ending: .responded, head: .file(), disposition: .written(length: size, isComplete: true)))
        }
    }

    /// The server sends the whole new file instead of the rest. The old bytes stay until the loop has recorded that they are invalid.
    private func downloadChanged(_ plan: PartialPlan, _ work: Work) -> EngineEvent? {
        var plan = plan
        plan.resume = nil
        for decision in work.decisions {
            switch decision {
            case .writeFromStart: return download(plan, work.stage)
            case .writeBeside(let path):
                plan.path = path
                return download(plan, work.stage)
            case .sendRest, .openSegments: break
            }
        }
        return work.stage == 0 ? .head(.file()) : nil
    }

    private func win(_ path: String, _ count: Int64) {
        world.update { state in
            guard var file = state.partials[path] else { return }
            let end = min(SimulatedWorld.fileSize, file.length + count)
            file.good.insert(file.length..<end)
            file.length = end
            state.partials[path] = file
        }
    }

    /// From the end to the start, so that there are holes until the end. Ranges outside the map are fetched again.
    private func downloadParts(_ plan: PartialPlan, _ work: Work) -> EngineEvent? {
        let size = SimulatedWorld.fileSize
        switch work.stage {
        case 0:
            let map = plan.resume?.map
            change(work.job.ticket) { $0.map = map ?? SegmentMap([0..<(plan.resume?.length ?? 0)]) }
            return map == nil ? download(plan, 0) : .receiving(.file())
        case 1:
            if plan.resume?.map == nil { writePart(plan.path, work.map.end..<work.map.end + 200, work) }
            return nil
        case 2: return syncParts(plan.path, work)
        default:
            // A file without a map gets no holes before that is recorded.
            guard work.decisions.contains(.openSegments) || plan.resume?.map != nil else { return nil }
            if work.stage % 2 == 0 { return syncParts(plan.path, work) }
            guard let gap = work.map.gaps(in: size).last else {
                return .exchangeEnded(
                    ExchangeOutcome(
                        ending: .responded, head: .file(), disposition: .written(length: size, isComplete: true)))
            }
            writePart(plan.path, max(gap.lowerBound, gap.upperBound - 150)..<gap.upperBound, work)
            return nil
        }
    }

    private func writePart(_ path: String, _ range: Range<Int64>, _ work: Work) {
        let range = range.clamped(to: 0..<SimulatedWorld.fileSize)
        world.update { state in
            guard var file = state.partials[path] else { return }
            file.good.insert(range)
            file.length = max(file.length, range.upperBound)
            state.partials[path] = file
        }
        change(work.job.ticket) { $0.map.insert(range) }
    }

    private func syncParts(_ path: String, _ work: Work) -> EngineEvent {
        world.update { $0.partials[path]?.sync() }
        return .parts(work.map)
    }

    private func hold(_ plan: PartialPlan, _ stage: Int) -> EngineEvent? {
        guard stage > 1 else { return nil }
        held.withLock { _ = $0.insert(plan.path) }
        return .exchangeEnded(
            ExchangeOutcome(
                ending: .responded, head: .file(), disposition: .held(length: SimulatedWorld.fileSize)))
    }

    private func place(_ plan: PlacePlan) -> PlacedFile {
        let isHeld = held.withLock { $0.remove(plan.partialPath) != nil }
        return world.update { state in
            let path = "\(plan.directory)/\(plan.fileName)"
            if isHeld, state.partials[plan.partialPath] == nil { return state.placeHeld(plan.id, path) }
            guard let partial = state.partials[plan.partialPath] else {
                return PlacedFile(path: path, leavesPartialFile: true)
            }
            state.partials[plan.partialPath]?.sync()
            // An existing file is replaced only on request: another file keeps its name.
            let isTaken =
                plan.collision != .overwrite && state.finals[path].map { $0.identity != partial.identity } ?? false
            state.finals[isTaken ? path + " (1)" : path] = partial
            return PlacedFile(path: path, leavesPartialFile: true)
        }
    }

    /// The server's response instead of accepting the body.
    private func refusal(of plan: ExchangePlan) -> EngineEvent? {
        var status: Int?
        if plan.url == SimulatedWorld.expired { status = 403 }
        if plan.url == SimulatedWorld.guarded,
            plan.headers.single("Authorization") != "Bearer \(SimulatedWorld.token)"
        {
            status = 401
        }
        return status.map { status in
            let head = ResponseHead(status: status, headers: [], effectiveURL: plan.url)
            return .exchangeEnded(ExchangeOutcome(ending: .responded, head: head))
        }
    }

    private func send(_ plan: ExchangePlan, _ work: Work) -> EngineEvent? {
        if let refusal = refusal(of: plan) { return refusal }
        if plan.body?.holdsLastBytes ?? false {
            if work.stage == 0 { return .lastBytesHeld }
            guard work.decisions.contains(.sendRest) else { return nil }
        } else if work.stage == 0, plan.body != nil {
            world.update { $0.deliveries[plan.url, default: 0] += 1 }
            return .bodySent
        }
        if plan.url == SimulatedWorld.silent, !world.now.answersSilent { return nil }
        if plan.body?.holdsLastBytes ?? true { world.update { $0.deliveries[plan.url, default: 0] += 1 } }
        return .exchangeEnded(ExchangeOutcome(ending: .responded, head: .ok(200)))
    }

    private func tus(_ plan: ExchangePlan, _ work: Work) -> EngineEvent? {
        switch plan.method {
        case "OPTIONS": return .answered(204, [HeaderField("Tus-Extension", "creation,termination")])
        case "POST":
            let number = world.update { state -> Int in
                state.uploads["http://tus.test/files/\(state.uploads.count)"] = 0
                return state.uploads.count - 1
            }
            return .answered(201, [HeaderField("Location", "/files/\(number)")])
        case "HEAD":
            guard let offset = world.now.uploads[plan.url] else { return .answered(404, []) }
            return .answered(200, [HeaderField("Upload-Offset", String(offset))])
        case "DELETE":
            world.update { state in
                state.terminated.insert(plan.url)
                state.uploads[plan.url] = nil
            }
            return .answered(204, [])
        default: return patch(plan, work)
        }
    }

    private func patch(_ plan: ExchangePlan, _ work: Work) -> EngineEvent? {
        let length = plan.body?.length ?? 0
        if work.stage == 0 {
            receive(length / 2, plan)
            return nil
        }
        guard work.decisions.contains(.sendRest) else { return work.stage == 1 ? .lastBytesHeld : nil }
        if sent(plan) < length {
            receive(length, plan)
            return .bodySent
        }
        return .answered(204, [HeaderField("Upload-Offset", String(start(plan) + length))], bytesSent: length)
    }

    private func receive(_ count: Int64, _ plan: ExchangePlan) {
        let end = start(plan) + count
        world.update { state in
            guard let offset = state.uploads[plan.url], end > offset else { return }
            state.uploads[plan.url] = end
            state.tusBytesReceived += end - offset
        }
    }

    private func start(_ plan: ExchangePlan) -> Int64 {
        plan.headers.single("Upload-Offset").flatMap { Int64($0) } ?? 0
    }

    /// The number of bytes of a PATCH that its server has received.
    private func sent(_ plan: ExchangePlan) -> Int64 {
        plan.method == "PATCH" ? (world.now.uploads[plan.url] ?? 0) - start(plan) : 0
    }
}

extension EngineEvent {
    fileprivate static func answered(
        _ status: Int, _ headers: [HeaderField], bytesSent: Int64 = 0
    ) -> EngineEvent {
        .exchangeEnded(ExchangeOutcome(ending: .responded, head: .ok(status, headers), bytesSent: bytesSent))
    }
}

extension ResponseHead {
    static func ok(_ status: Int, _ headers: [HeaderField] = []) -> ResponseHead {
        ResponseHead(
            status: status, headers: [HeaderField("Tus-Resumable", "1.0.0")] + headers,
            effectiveURL: "http://tus.test/files")
    }

    static func file() -> ResponseHead {
        ResponseHead(
            status: 200,
            headers: [
                HeaderField("Content-Length", "1000"), HeaderField("ETag", "\"v1\""),
                HeaderField("Date", "Fri, 15 Jan 2027 08:00:00 GMT"),
                HeaderField("Last-Modified", "Thu, 14 Jan 2027 08:00:00 GMT"),
            ], effectiveURL: "http://files.test/film.mp4")
    }
}
