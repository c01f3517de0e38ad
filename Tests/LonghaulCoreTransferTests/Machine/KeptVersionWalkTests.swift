import TestSupport
import Testing

@testable import LonghaulCore

/// Thousands of downloads from servers whose versions alternate, to directories that change, with a crash at any step. A model of the disk
/// shows that no two versions are joined, that a kept version exists, and that no file is left over at the end.
@Suite struct KeptVersionWalkTests {
    @Test func noVersionIsJoinedLostOrLeft() {
        var seen: Set<String> = []
        for seed in 0..<500 {
            var walk = Walk(seed: UInt64(seed))
            walk.run()
            seen.formUnion(walk.seen)
        }
        let all: Set = [
            "kept", "restored", "replaced", "succeeded", "cancelled", "failed", "crashed", "moved", "copied",
            "moved back",
        ]
        #expect(seen.isSuperset(of: all), "\(seen)")
    }

    private struct Walk {
        private static let total: Int64 = 10 << 20
        private static let digest = Digest(algorithm: .sha256, bytes: Array(repeating: 1, count: 32))

        private var world: MachineFixture
        private var chance: SeededChance
        /// The version and length of each partial file.
        private var disk: [String: (tag: String, length: Int64)] = [:]
        private var placed: (tag: String, length: Int64)?
        private var actions: [TransferAction] = []
        private var wantsOld = false
        private(set) var seen: Set<String> = []

        init(seed: UInt64) {
            chance = SeededChance(seed: seed)
            let hasDigest = chance.next() % 3 == 0
            wantsOld = hasDigest
            world = .download { if hasDigest { $0.download?.expectedDigest = Self.digest } }
        }

        private mutating func dice(_ count: UInt64) -> Bool { chance.next() % count == 0 }

        mutating func run() {
            for _ in 0..<120 where !world.machine.isReadyToForget {
                step()
                if placed != nil, world.state == .succeeded, disk.isEmpty, actions.isEmpty { break }
            }
            finish()
        }

        private mutating func step() {
            if dice(12) { return crash() }
            if let action = actions.first {
                actions.removeFirst()
                return perform(action)
            }
            if dice(40), !world.state.isEnded { return feed(.command(dice(2) ? .cancel : .pause)) }
            if dice(12) { return changeDirectory() }
            world.now = world.now + .seconds(600)
            switch world.state {
            case .waiting(let waiting): feed(waiting.reason == .turn ? .turnGranted : .due)
            case .paused: feed(.command(.resume))
            case .failed where dice(2): feed(.command(.retry))
            case .running, .awaitingResponse, .succeeded, .failed, .cancelled: break
            }
        }

        private mutating func feed(_ event: TransferEvent) {
            let before = world.facts.download.files.kept
            actions += world.feed(event)
            record(before)
        }

        private mutating func changeDirectory() {
            let directory = "/tmp/files" + ["", "/a", "/b"][Int(chance.next() % 3)]
            let before = world.machine.record
            let adjustment = TransferAdjustment(directory: directory)
            actions += world.feed(.adjusted(adjustment))
            if world.machine.record != before, world.facts.download.files.formerDirectories.contains(directory) {
                seen.insert("moved back")
            }
        }

        private mutating func crash() {
            seen.insert("crashed")
            world.machine = TransferMachine(world.machine.record)
            actions = world.feed(.recovered)
            if world.state.isEnded { actions += world.machine.cleanupActions() }
        }

        private mutating func record(_ before: CopyOnWrite<KeptVersion>?) {
            let facts = world.facts
            let life: Comment = "\(chance)"
            if case .failed = world.state { seen.insert("failed") }
            if let kept = facts.download.files.kept?.value {
                if before?.value != kept { seen.insert(before == nil ? "kept" : "replaced") }
                let other = facts.download.files.otherPath(
                    of: world.machine.record.id, in: world.machine.download.directory
                ).flatMap { disk[$0] }
                #expect(other?.tag == kept.validators.entityTag && other?.length ?? 0 >= kept.bytes, life)
            } else if before != nil, facts.download.validators?.entityTag == before?.value.validators.entityTag {
                seen.insert("restored")
            }
            if let tag = facts.download.validators?.entityTag, facts.bytesDone > 0, !world.state.isEnded {
                let directories = facts.download.files.formerDirectories + [world.machine.download.directory]
                let paths = directories.map { facts.download.files.path(of: world.machine.record.id, in: $0) }
                let file = paths.compactMap { disk[$0] }.first
                #expect(file != nil && (file?.tag == tag || wantsOld), life)
            }
        }

        private mutating func perform(_ action: TransferAction) {
            switch action {
            case .start(.files(.measurePartial(let path, _, _, let other, let move, _))):
                if let other { disk[other] = nil }
                if let move, !finishes(move, to: path) { return crash() }
                if dice(10) { return }
                feed(.engine(.partialMeasured(.success(disk[path]?.length))))
            case .start(.exchange(let plan)): exchange(plan)
            case .start(.files(.place(let plan))): place(plan)
            case .clean(let task):
                if case .files(.discard(let paths))? = world.machine.work(for: task) {
                    for path in paths { disk[path] = nil }
                }
                if !dice(4) { feed(.cleaned(task, isDone: true)) }
            case .stop:
                if case .stopping(.measuring)? = world.machine.step { feed(.engine(.partialMeasured(.success(1)))) }
                if world.machine.step != nil { feed(.engine(.exchangeEnded(ExchangeOutcome(ending: .cancelled)))) }
            default: break
            }
        }

        /// Returns whether the move was not cut short by a crash.
        private mutating func finishes(_ move: PartialMove, to path: String) -> Bool {
            let source = move.sources.first { disk[$0] != nil }
            if dice(8) { return false }
            if let source, source != path {
                let isCopied = dice(2)
                if isCopied, dice(4) {
                    disk[PartialName.copy(of: path)] = ("copy", 1)
                    return false
                }
                disk[PartialName.copy(of: path)] = nil
                disk[path] = disk[source]
                if !isCopied { disk[source] = nil }
                seen.insert(isCopied ? "copied" : "moved")
            }
            for file in move.sources + move.leftovers where file != path {
                if dice(8) { return false }
                disk[file] = nil
            }
            return true
        }

        private mutating func place(_ plan: PlacePlan) {
            let file = disk[plan.partialPath]
            let isOld = file?.tag == "\"old\""
            if file?.length != plan.length ?? file?.length {
                return feed(.engine(.placed(.failure(TransferFailure(.lengthMismatch, "short")))))
            }
            guard let file, isOld || !wantsOld else {
                return feed(.engine(.placed(.failure(TransferFailure(.digestMismatch, "wrong")))))
            }
            #expect(file.length == Self.total, "\(chance)")
            placed = file
            if dice(6) { return crash() }
            feed(.engine(.placed(.success(PlacedFile(path: "/tmp/files/film.mp4", leavesPartialFile: true)))))
        }

        private mutating func exchange(_ plan: ExchangePlan) {
            guard case .partial(let partial) = plan.sink else { return }
            if dice(8) { return feed(.engine(.broke(.connectionLost))) }
            if dice(25) { return feed(.engine(.broke(.diskFull))) }
            let tag = ["\"old\"", "\"old\"", "\"new\"", "\"other\""][Int(chance.next() % 4)]
            let head = answer(tag, plan, partial.resume)
            switch DownloadRule.decide(head: head, resume: partial.resume) {
            case .refuse(let refusal): feed(.engine(.refused(refusal, head)))
            case .holdForRestart:
                feed(.engine(.head(head)))
                let decision = actions.last
                actions.removeAll { if case .release = $0 { true } else { false } }
                if dice(8) { return crash() }
                switch decision {
                case .release(.writeFromStart): write(tag, to: partial.path, from: 0, head)
                case .release(.writeBeside(let path)): write(tag, to: path, from: 0, head)
                default: break
                }
            case .write(let start, _): write(tag, to: partial.path, from: start, head)
            case .compareThenWrite(let first, let overlap, _):
                guard disk[partial.path]?.tag == tag else {
                    let outcome = ExchangeOutcome(ending: .responded, head: head, disposition: .overlapDiffers)
                    return feed(.engine(.exchangeEnded(outcome)))
                }
                write(tag, to: partial.path, from: first + overlap, head)
            }
        }

        private mutating func answer(_ tag: String, _ plan: ExchangePlan, _ resume: ResumePoint?) -> ResponseHead {
            var whole = ResponseHead.file(tag: tag, length: Self.total)
            // A page cannot be distinguished from the file before anything is known of the file.
            if dice(12), resume != nil || world.facts.download.files.kept != nil {
                whole.headers = [HeaderField("Content-Length", "85"), HeaderField("Content-Type", "text/html")]
                return whole
            }
            guard let resume else { return whole }
            let condition = plan.headers.single("If-Match")
            if let condition, condition != tag { return dice(2) ? .ok(412) : whole }
            if dice(8) { return whole }
            var part = whole
            part.status = 206
            part.headers[0] = HeaderField(
                "Content-Range", "bytes \(resume.requestedStart)-\(Self.total - 1)/\(Self.total)")
            return part
        }

        /// Writes the part of the body that arrives.
        private mutating func write(_ tag: String, to path: String, from start: Int64, _ head: ResponseHead) {
            let isPage = head.announcedBodyLength == 85
            let end = isPage ? 85 : Self.total
            disk[path] = (isPage ? "page" : tag, start)
            feed(.engine(.receiving(head)))
            if dice(8) { return crash() }
            let length = dice(2) ? end : min(end, start + Int64(chance.next() % UInt64(end)))
            disk[path]?.length = length
            if dice(8) { return crash() }
            var outcome = ExchangeOutcome(
                ending: length == end ? .responded : .broke(TransferFailure(.connectionLost, "It broke.")), head: head)
            outcome.disposition = .written(length: length, isComplete: length == end)
            // A body may be complete before it is stopped.
            if actions.last == .stop { actions.removeLast() }
            if world.machine.step != nil { feed(.engine(.exchangeEnded(outcome))) }
        }

        /// Ends the download in any state, and checks that no file is left.
        private mutating func finish() {
            if !world.state.isEnded { feed(.command(.cancel)) }
            for _ in 0..<20 where world.machine.step != nil || !actions.isEmpty {
                if !actions.isEmpty {
                    perform(actions.removeFirst())
                } else {
                    feed(.engine(.exchangeEnded(ExchangeOutcome(ending: .cancelled))))
                }
            }
            if world.state == .succeeded { seen.insert("succeeded") }
            if world.state == .cancelled { seen.insert("cancelled") }
            if case .failed = world.state { feed(.command(.remove)) }
            for _ in 0..<20 where !world.facts.cleanup.subtracting([.record]).isEmpty { perform(.clean(.partialFile)) }
            #expect(disk.isEmpty, "\(chance): \(disk) after \(world.state)")
            if world.state == .succeeded { #expect(placed?.length == Self.total, "\(chance)") }
        }
    }
}

extension TransferAdjustment {
    fileprivate init(directory: String) {
        self.init()
        destination = Destination(directory: directory, fileName: nil)
    }
}
