import LonghaulCore
import Testing

@testable import LonghaulRuntime

/// The invariants at the end of a crash scenario, regardless of the deaths.
extension CrashScenario {
    func check(_ what: Comment) throws {
        let keys = plan.script.keys
        #expect(try recordCount() == keys.count, what)
        for key in keys { try check(key, what) }
        if keys.contains("download") { checkFiles(what) }
        if keys.contains("paused") { try checkChange(what) }
        #expect(world.now.staged.isEmpty || !keys.contains("staged"), what)
        try checkUploads(what)
        for key in keys {
            guard let predecessor = plan.script.predecessor(of: key)?.key, let begun = try record(key).facts.startedAt
            else { continue }
            let end = try #require(try record(predecessor).facts.endedAt)
            #expect(begun >= end, what)
        }
        if plan.script.isCarried { try checkCarried(what) }
        try checkEvents(what)
        if plan.script.notifies { try checkScreen(what) }
        if plan.script.hasTask { try checkTask(what) }
    }

    /// All of the change is on disk, or none of it; all of it once it was confirmed.
    private func checkChange(_ what: Comment) throws {
        let options = TransferOptions(of: try record("paused"))
        let parts = [
            options.group == "changed", options.priority == 7, options.rateLimit == 9_000_000,
            !options.conditions.allowsRoaming,
        ]
        #expect(Set(parts).count == 1 && (parts[0] || !hasChanged), what)
    }

    private func check(_ key: String, _ what: Comment) throws {
        let state = try record(key).state
        switch key {
        case "download", "small", "paused", "parted", "continued": #expect(state == .succeeded, what)
        // Idempotent: at least once. A response may be lost at each death.
        case "put", "staged":
            #expect(state == .succeeded, what)
            #expect((1...1 + deathCount).contains(deliveries("http://up.test/\(key)")), what)
        // The refused token was renewed, and the expired URL replaced, regardless of deaths in between.
        case "named":
            #expect(state == .succeeded, what)
            #expect((1...1 + deathCount).contains(deliveries(SimulatedWorld.guarded)), what)
        case "moved":
            let url = try record(key).spec.url
            #expect(state == .succeeded && url == SimulatedWorld.fresh, what)
            #expect((1...2 + deathCount).contains(deliveries(SimulatedWorld.fresh)), what)
            #expect(deliveries(SimulatedWorld.expired) == 0, what)
        // Not idempotent: never twice, and never reported with a wrong result.
        case "post", "bye", "form":
            let count = deliveries("http://up.test/\(key)")
            switch state {
            case .succeeded: #expect(count == 1, what)
            case .failed(let failure): #expect(failure.code == .outcomeUnknown && count <= 1, what)
            case .waiting, .running, .awaitingResponse, .paused, .cancelled: Issue.record(what)
            }
        case "tus":
            #expect(state == .succeeded, what)
            let url = try record(key).facts.upload.uploadURL ?? ""
            #expect(world.now.uploads[url] == 1_000, what)
        case "cancelled":
            switch state {
            case .cancelled: break
            case .succeeded: #expect(world.now.uploads.values.count { $0 == 1_000 } == 2, what)
            case .waiting, .running, .awaitingResponse, .paused, .failed: Issue.record(what)
            }
        default: Issue.record("nothing is known of \(key)")
        }
    }

    /// A system that forgets nothing gets one request for each exchange, regardless of deaths, and no exchange is left in it.
    private func checkCarried(_ what: Comment) throws {
        #expect(world.now.carried.isEmpty, what)
        guard plan.script == .carried else { return }
        for key in plan.script.keys where key != "download" && key != "tus" {
            #expect(deliveries("http://up.test/\(key)") == 1, what)
            #expect(try record(key).state == .succeeded, what)
        }
    }

    private func deliveries(_ url: String) -> Int { world.now.deliveries[url] ?? 0 }

    private func checkFiles(_ what: Comment) {
        let names = [
            "download": "film.mp4", "small": "small.mp4", "paused": "later.mp4", "parted": "parted.mp4",
            "continued": "old.mp4",
        ]
        let wanted = plan.script.keys.compactMap { names[$0] }
        for name in wanted {
            let file = world.now.finals["/out/\(name)"]
            #expect(file?.length == 1_000 && file?.good.front == 1_000, what)
        }
        #expect(world.now.finals.count == wanted.count && world.now.partials.isEmpty, what)
    }

    /// Resumable: the server never receives again a byte that it had kept.
    private func checkUploads(_ what: Comment) throws {
        let count = plan.script.keys.count { ["tus", "cancelled"].contains($0) }
        #expect(world.now.tusBytesReceived <= Int64(count) * 1_000, what)
    }

    /// The app gets every end once, the end of all transfers last, and is started for it.
    private func checkEvents(_ what: Comment) throws {
        #expect(starts >= 1 || plan.script.handsOver, what)
        guard !plan.script.keys.isEmpty else { return }
        let events = try pendingEvents()
        #expect(events.last?.kind == .allTransfersFinished, what)
        #expect(Set(events.dropLast().map(\.transfer)) == Set(accepted.values.map(Optional.some)), what)
        #expect(events.count == specs.count + 1, what)
    }

    /// The last notification is shown; a death between showing and recording it repeats one.
    private func checkScreen(_ what: Comment) throws {
        let slot = try #require(try notification(), what)
        #expect(slot.tally.live == 0, what)
        #expect(slot.posted == NotificationPolicy.headline(slot.tally, Self.notifications.kinds), what)
        #expect(slot.shown.flatMap { screen[$0.number] } == slot.posted, what)
        #expect(screen.count <= lives, what)
    }

    /// The handler was started once for each run, and the last run is known to have succeeded.
    private func checkTask(_ what: Comment) throws {
        let record = try #require(try task(), what)
        #expect(record.last?.outcome == .succeeded && record.runs >= 1, what)
        #expect(app.begun.values.allSatisfy { $0 == 1 } && !app.begun.isEmpty, what)
        #expect(deathCount > 0 || app.begun.count == 1, what)
    }
}
