import LonghaulCore

/// Valid stored values of every kind, the basis of examples.
enum Samples {
    static let now = WallTime(seconds: 1_795_323_275)
    static let session: SessionID = {
        guard let session = SessionID("default") else { preconditionFailure("a name that is none") }
        return session
    }()

    static let facts: TransferFacts = {
        var facts = TransferFacts(createdAt: now, deadline: now + .seconds(604_800))
        facts.startedAt = now
        facts.lastProgressAt = now
        facts.attempts = 2
        facts.failuresInARow = 1
        facts.restarts = 1
        facts.credentialRefusals = 1
        facts.bytesDone = 512
        facts.bytesTotal = 1_000
        facts.progressMark = 512
        facts.changes.rateLimit = 4_096
        facts.lastFailure = TransferFailure(.connectionLost, "It broke.", origin: .curl(56))
        facts.download.validators = Validators(entityTag: "\"one\"", lastModified: nil, isSoft: false, total: 1_000)
        facts.download.syncedLength = 256
        facts.download.digestMismatches = 1
        facts.upload.uploadURL = "http://example.org/files/a"
        facts.upload.acknowledged = 256
        facts.upload.sentHighWater = 512
        facts.upload.stalls = 1
        facts.upload.expires = now
        facts.upload.tus = TusCapabilities(
            extensions: ["creation", "termination"], maxSize: 5_000, creationURL: "http://example.org/files")
        return facts
    }()

    static let source = SourceFile(path: "/tmp/source", pin: SourcePin(size: 1_000, modified: 7, inode: 42, device: 1))

    static let specs: [TransferSpec] = {
        let works: [(TransferSpec.Work, String)] = [
            (.download(DownloadSpec(directory: "/tmp/files", fileName: "film.mp4")), "GET"),
            (.upload(.raw(source)), "PUT"), (.upload(.tus(source, metadata: [])), "POST"),
            (
                .upload(
                    .form(
                        boundary: "b",
                        parts: [
                            FormPart(name: "a", content: .text("1")),
                            FormPart(name: "f", content: .file(source, fileName: "a", contentType: "")),
                        ])), "POST"
            ),
            (.request(body: [1, 2]), "POST"),
        ]
        return works.map { work, method in
            var spec = TransferSpec(work: work, method: method, url: "http://example.org/film.mp4")
            spec.options.priority = 5
            spec.options.earliestBeginDate = now
            spec.options.progressTimeout = .seconds(600)
            spec.options.rateLimit = 4_096
            spec.options.conditions.hours = TimeWindow(from: 22 * 60, to: 6 * 60)
            return spec
        }
    }()

    static let waiting = Waiting(.turn, since: now, until: now + .seconds(60))

    static let snapshot = TransferSnapshot(record(specs[0], .waiting(waiting), facts))

    static func record(_ spec: TransferSpec, _ state: TransferState, _ facts: TransferFacts) -> TransferRecord {
        let id = TransferID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0001)
        var record = TransferRecord(id: id, spec: spec, state: state, createdAt: facts.createdAt)
        record.facts = facts
        return record
    }

    static let task = BackgroundTaskRequest(
        .processing, "org.example.noon", earliestBeginDate: now, repeats: .daily(hour: 12, minute: 30))

    static let taskRecord: BackgroundTaskRecord = {
        var record = BackgroundTaskRecord(identifier: task.identifier)
        record.pending = .init(request: task, date: now)
        record.owed = .init(request: task, since: now, attempts: 1)
        record.last = BackgroundTaskResult(number: 3, startedAt: now, endedAt: now, outcome: .succeeded)
        record.runs = 3
        record.doneDay = LocalDay(20_000)
        return record
    }()

    static let throttle: BackgroundTaskThrottle = {
        var throttle = BackgroundTaskThrottle()
        throttle.strikes = 2
        throttle.lastStrikeAt = now
        throttle.until = now + .seconds(120)
        return throttle
    }()

    static let wakeRecord: WakeRecord = {
        var record = WakeRecord()
        record.unanswered = 2
        record.total = 9
        record.lastWakeAt = now
        return record
    }()

    static let slot: NotificationSlot = {
        var slot = NotificationSlot()
        slot.tally.underWay = 2
        slot.tally.needing = 1
        slot.tally.paused = 1
        slot.tally.resting = 1
        slot.tally.finished = 3
        slot.tally.failed = 1
        slot.tally.interrupted = 1
        slot.tally.announced = 1
        slot.tally.hushedNeeds = 1
        slot.posted = NotificationHeadline(kind: .progress, count: 4)
        slot.shown = ShownNotification(number: 5, server: "s", at: now)
        return slot
    }()

    static let settings: UserSettings = {
        let window = SessionRules.RateWindow(
            days: .workdays, hours: TimeWindow(from: 540, to: 1_020), rateLimit: 512_000)
        return UserSettings(
            traffic: TrafficLimits(
                rateLimit: 1_000_000, timetable: [window],
                budget: DataBudget(bytesPerDay: 1 << 30, bytesPerMonth: 1 << 35)))
    }()
}
