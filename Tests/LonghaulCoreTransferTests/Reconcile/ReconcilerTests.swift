import LonghaulCore
import Testing

/// Every combination of a record, an exchange, and the files on disk.
@Suite struct ReconcilerTests {
    typealias Code = ReconcileFinding.Kind

    private static let id = TransferID(high: 1, low: 7)
    private static let partial = "/files/\(PartialName.make(id))"
    private static let states: [(name: String, state: TransferState)] = [
        ("waiting", .waiting(Waiting(.turn, since: WallTime(seconds: 1)))), ("running", .running(.receiving)),
        ("awaiting", .awaitingResponse), ("paused", .paused), ("succeeded", .succeeded),
        ("failed", .failed(TransferFailure(.notFound, "The file does not exist."))), ("cancelled", .cancelled),
    ]

    enum Partial: CaseIterable { case there, gone, unreadable, elsewhere, foreign }
    enum Final: CaseIterable { case same, otherLength, gone, unreadable }
    enum Staged: CaseIterable { case there, gone, unreadable, foreign }

    /// One world: a record, and the files that should and should not exist.
    private struct World {
        var state: TransferState
        var isLive: Bool
        var files: [String: FilePresence] = [:]
        var partials: [FoundPartial] = []
        var abandoned: [String] = []

        init(_ state: TransferState, isLive: Bool, _ partial: Partial, _ final: Final, _ staged: Staged) {
            self.state = state
            self.isLive = isLive
            let sights: [Partial: FilePresence] = [.there: .present(length: 5), .unreadable: .unknown]
            files[ReconcilerTests.partial] = sights[partial]
            if partial == .there { partials = [FoundPartial(id: ReconcilerTests.id, path: ReconcilerTests.partial)] }
            if partial == .elsewhere { partials = [FoundPartial(id: ReconcilerTests.id, path: "/other/a.part")] }
            if partial == .foreign { partials = [FoundPartial(id: TransferID(high: 9, low: 9), path: "/files/b.part")] }
            let finals: [Final: FilePresence] = [
                .same: .present(length: 10), .otherLength: .present(length: 11), .unreadable: .unknown,
            ]
            files["/files/film.mp4"] = finals[final]
            let bodies: [Staged: FilePresence] = [
                .there: .present(length: 3), .unreadable: .unknown, .foreign: .present(length: 3),
            ]
            files["/staged/mine"] = bodies[staged]
            if staged == .foreign { abandoned = ["/staged/mine", "/staged/litter"] }
        }

        func report() -> ReconcileDraft {
            let download = ReconcileRecord.Download(
                directory: "/files", partialPath: ReconcilerTests.partial, hasBytes: true,
                finalPath: "/files/film.mp4", finalLength: 10)
            let record = ReconcileRecord(
                id: ReconcilerTests.id, state: state, download: download, staged: ["/staged/mine"])
            var reconciler = Reconciler(live: isLive ? [ReconcilerTests.id] : [])
            reconciler.check(record) { files[$0] ?? .absent }
            return reconciler.conclude(partials: partials, staged: abandoned)
        }

        /// Applies the repairs, which may delete only these files.
        mutating func repair(_ draft: ReconcileDraft) {
            for item in draft.items {
                switch item.finding.repair {
                case .none: break
                case .continued: isLive = true
                case .deleted:
                    guard let path = item.finding.path else { preconditionFailure("no file to delete") }
                    files[path] = nil
                    partials.removeAll { $0.path == path }
                    abandoned.removeAll { $0 == path }
                }
            }
        }
    }

    /// State and activity.
    private static let movement: [String: (still: [Code], live: [Code])] = [
        "waiting": ([], [.transferWithoutNeed]), "running": ([.runningWithoutTransfer], []),
        "awaiting": ([.runningWithoutTransfer], []), "paused": ([], [.transferWithoutNeed]),
        "succeeded": ([], [.transferWithoutNeed]), "failed": ([], [.transferWithoutNeed]),
        "cancelled": ([], [.transferWithoutNeed]),
    ]
    /// States whose bytes are needed, and final states.
    private static let needsBytes: Set = ["waiting", "running", "awaiting", "paused", "failed"]

    private static func expected(
        _ name: String, isLive: Bool, _ partial: Partial, _ final: Final, _ staged: Staged
    ) -> Set<Code> {
        var codes = Set((isLive ? movement[name]?.live : movement[name]?.still) ?? [])
        let isNeeded = needsBytes.contains(name)
        switch partial {
        case .there: if !isNeeded { codes.insert(.partialLeftOver) }
        case .gone: if isNeeded && !isLive { codes.insert(.partialMissing) }
        case .elsewhere:
            codes.insert(.partialElsewhere)
            if isNeeded && !isLive { codes.insert(.partialMissing) }
        case .foreign:
            codes.insert(.partialForeign)
            if isNeeded && !isLive { codes.insert(.partialMissing) }
        case .unreadable: break
        }
        if name == "succeeded" {
            if final == .gone { codes.insert(.fileMissing) }
            if final == .otherLength { codes.insert(.fileChanged) }
        }
        switch staged {
        case .there: if !isNeeded { codes.insert(.stagedLeftOver) }
        case .gone: if isNeeded { codes.insert(.stagedMissing) }
        case .foreign:
            codes.insert(.stagedForeign)
            if !isNeeded { codes.insert(.stagedLeftOver) }
        case .unreadable: break
        }
        return codes
    }

    @Test func everyCombinationIsReportedAndRepairIsIdempotent() {
        var seen: Set<Code> = []
        for (name, state) in Self.states {
            for isLive in [false, true] {
                for partial in Partial.allCases {
                    for final in Final.allCases {
                        for staged in Staged.allCases {
                            let what: Comment = "\(name), live \(isLive), \(partial), \(final), \(staged)"
                            var world = World(state, isLive: isLive, partial, final, staged)
                            let draft = world.report()
                            let codes = draft.items.map(\.finding.kind)
                            #expect(
                                Set(codes) == Self.expected(name, isLive: isLive, partial, final, staged), what)
                            #expect(codes.count == Set(codes).count, what)
                            seen.formUnion(codes)
                            check(&world, draft, what)
                        }
                    }
                }
            }
        }
        #expect(seen == Set(Code.allCases))
    }

    private func check(_ world: inout World, _ draft: ReconcileDraft, _ what: Comment) {
        let before = world.files
        world.repair(draft)
        // No file that the user made, and no file that is still needed, was deleted.
        #expect(world.files["/files/film.mp4"] == before["/files/film.mp4"], what)
        let isOver = world.state == .succeeded || world.state == .cancelled
        if !isOver { #expect(world.files == before, what) }
        let second = world.report()
        #expect(second.items.allSatisfy { $0.finding.repair == .none }, what)
        var after = world
        after.repair(second)
        #expect(after.files == world.files && after.partials == world.partials, what)
    }

    @Test func pendingCleanupIsNotReportedMissing() {
        var reconciler = Reconciler(live: [])
        let download = ReconcileRecord.Download(
            directory: "/files", partialPath: Self.partial, hasBytes: true, finalPath: nil, finalLength: nil)
        reconciler.check(
            ReconcileRecord(
                id: Self.id, state: .failed(TransferFailure(.notFound, "")), cleanup: [.partialFile, .stagedBodies],
                download: download, staged: ["/staged/mine"])
        ) { _ in .absent }
        #expect(reconciler.conclude(partials: [], staged: []).items.isEmpty)
    }

    @Test func theOtherPartialFileGoesWithItsTransfer() {
        let other = "/files/" + PartialName.make(Self.id, isSecond: true)
        for (_, state) in Self.states {
            var reconciler = Reconciler(live: [])
            var download = ReconcileRecord.Download(
                directory: "/files", partialPath: Self.partial, hasBytes: false, finalPath: nil, finalLength: nil)
            download.otherPaths = [other]
            let record = ReconcileRecord(id: Self.id, state: state, download: download)
            reconciler.check(record) { $0 == other ? .present(length: 5) : .absent }
            let found = reconciler.conclude(partials: [FoundPartial(id: Self.id, path: other)], staged: [])
            let isOver = state == .succeeded || state == .cancelled
            let codes = found.items.map(\.finding.kind).filter { $0 != .runningWithoutTransfer }
            #expect(codes == (isOver ? [.partialLeftOver] : []), "\(state)")
        }
    }

    @Test func partialFileInFormerDirectoryIsNotMissing() {
        let former = "/former/" + PartialName.make(Self.id)
        for (place, isFound) in [(former, true), (former + ".copy", false)] {
            var reconciler = Reconciler(live: [])
            var download = ReconcileRecord.Download(
                directory: "/files", partialPath: Self.partial, hasBytes: true, finalPath: nil, finalLength: nil)
            download.otherPaths = [former, former + ".copy"]
            let record = ReconcileRecord(id: Self.id, state: .paused, download: download)
            reconciler.check(record) { $0 == place ? .present(length: 5) : .absent }
            let found = reconciler.conclude(partials: [FoundPartial(id: Self.id, path: former)], staged: [])
            #expect(found.items.map(\.finding.kind) == (isFound ? [] : [.partialMissing]))
        }
    }

    @Test func aBodyWhosePathIsSpelledInAnotherWayIsNotForeign() {
        var reconciler = Reconciler(live: [])
        reconciler.check(ReconcileRecord(id: Self.id, state: .paused, staged: ["/link/staged/mine"])) { _ in
            .present(length: 1)
        }
        #expect(reconciler.conclude(partials: [], staged: ["/home/staged/mine"]).items.isEmpty)
    }

    @Test func liveTransferWithoutRecordIsReported() {
        let draft = Reconciler(live: [Self.id]).conclude(partials: [], staged: [])
        #expect(draft.items.map(\.finding) == [ReconcileFinding(.transferWithoutNeed, transfer: Self.id)])
    }

    @Test func aReportIsBoundedAndBeginsWithWhatIsRepaired() {
        let limit = ReconcileReport.limit
        let foreign = (0..<limit).map { FoundPartial(id: TransferID(high: 3, low: UInt64($0)), path: "/files/\($0)") }
        let litter = (0..<7).map { "/staged/\($0)" }
        let draft = Reconciler(live: []).conclude(partials: foreign, staged: litter)
        #expect(draft.items.count == limit && draft.omitted == 7)
        #expect(draft.items.prefix(7).allSatisfy { $0.finding.kind == .stagedForeign })
    }

    @Test func manyTidiedFilesHideNothingElse() {
        var reconciler = Reconciler(live: [])
        let limit = ReconcileReport.limit
        for number in 0..<limit + 3 {
            let download = ReconcileRecord.Download(
                directory: "/files", partialPath: "/files/part", hasBytes: true, finalPath: "/files/film",
                finalLength: 9)
            let id = TransferID(high: 1, low: UInt64(number))
            reconciler.check(ReconcileRecord(id: id, state: .succeeded, download: download)) { _ in .absent }
        }
        let foreign = FoundPartial(id: TransferID(high: 3, low: 1), path: "/files/other")
        let draft = reconciler.conclude(partials: [foreign], staged: ["/staged/litter"])
        #expect(draft.items.prefix(3).map(\.finding.kind) == [.stagedForeign, .partialForeign, .fileMissing])
        #expect(draft.items.count == limit && draft.omitted == 5)
    }

    @Test func onlyTheExactNameIsThatOfAPartialFile() {
        let id = TransferID(high: 0x0190_ABCD_0000_7000, low: 0x8000_0000_0000_00EF)
        #expect(PartialName.transfer(in: PartialName.make(id)) == id)
        #expect(PartialName.transfer(in: PartialName.make(id, isSecond: true)) == id)
        for name in [
            "", ".longhaul-.part", ".longhaul-\(id)", "\(id).part", "x.longhaul-\(id).part", ".longhaul-a.part",
        ] {
            #expect(PartialName.transfer(in: name) == nil, "\(name)")
        }
        #expect(PartialName.transfer(in: ".longhaul-\(id.description.uppercased()).part") == nil)
    }

    @Test func everyFindingHasASentence() {
        for code in Code.allCases {
            let message = ReconcileFinding(code, transfer: Self.id, path: "/files/a").message
            #expect(
                message.hasSuffix(".") && message.first?.isUppercase ?? false || message.hasPrefix("/"), "\(message)")
        }
    }
}
