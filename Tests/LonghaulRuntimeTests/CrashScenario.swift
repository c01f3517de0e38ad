import LonghaulCore
import LonghaulStore
import Synchronization
import TestSupport
import Testing

@testable import LonghaulRuntime

/// A session's scenario that can die at any of its commits and actions.
///
/// `@unchecked Sendable`: everything happens on the one thread of the test; only the closures require the conformance.
final class CrashScenario: @unchecked Sendable {
    static let pin = SourcePin(size: SimulatedWorld.fileSize, modified: 1, inode: 2, device: 3)

    /// An incomplete download of another program.
    static let foreign = ForeignPartial(
        file: SourceFile(path: "/out/old.mp4", pin: SourcePin(size: 400, modified: 1, inode: 9, device: 3)),
        begunAt: WallTime(seconds: 1_790_000_000))

    private static let registration = WakeRegistration(
        .systemdUnit("photos.service"), backoff: WakeBackoff(first: .seconds(30), longest: .seconds(100)))

    /// Shows all notifications, even while the app is present.
    static let notifications: NotificationSettings = {
        var settings = NotificationSettings(appName: "Photos")
        settings.showsWhileAppIsOpen = true
        return settings
    }()

    let world = SimulatedWorld()
    private let temporary: TemporaryDirectory
    private let layout: SessionLayout
    private let clock = Mutex(WallTime(seconds: 1_800_000_000))
    private let chance = Mutex(SeededChance(seed: 11))
    /// The number of points passed in all lives.
    private let points = Mutex(0)
    let plan: CrashPlan
    private(set) var deathCount = 0
    private var pointsSinceDeath = 0
    let app = SimulatedApp()
    /// The owner that opens the session next, if the scenario hands it over.
    private var owner = SessionOwner.Kind.app
    /// Whether the disk refuses each write and each commit of each turn once before it accepts them.
    var refusesEverything = false
    /// The number of the write at which the disk is full, for three turns.
    var fullAt: Int?
    private(set) var writeCount = 0
    private var fullTurns = 0
    private(set) var lives = 0
    /// How often the app was started.
    private(set) var starts = 0
    private var isStarting = false
    /// The notifications on the screen by number, and the results that the loop has not received yet.
    private(set) var screen: [UInt32: NotificationHeadline] = [:]
    private var postCount: UInt32 = 0
    private var answers: [LoopInput] = []
    /// The transfers that the client knows, by key.
    private(set) var accepted: [String: TransferID] = [:]
    /// Whether the client knows that the new URL is on disk.
    private var hasReplaced = false
    /// Whether the client knows that the change of the paused transfer is on disk.
    private(set) var hasChanged = false

    init(_ plan: CrashPlan) throws {
        temporary = try TemporaryDirectory(inMemory: true)
        layout = SessionLayout(directory: temporary.path + "/session")
        self.plan = plan
    }

    private var stagedBody: String { layout.staged + "/b" }

    var pointCount: Int { points.withLock { $0 } }

    private(set) lazy var specs: [TransferSpec] = {
        let source = SourceFile(path: "/src/a", pin: Self.pin)
        let staged = SourceFile(path: stagedBody, pin: Self.pin, isStaged: true)
        func make(_ key: String, _ work: TransferSpec.Work, _ method: String, _ url: String) -> TransferSpec {
            var spec = TransferSpec(work: work, method: method, url: url)
            spec.options.key = key
            if key == "named" { spec.options.credentialName = CredentialName("photos") }
            return spec
        }
        let form = UploadSpec.form(
            boundary: "b",
            parts: [
                FormPart(name: "title", content: .text("Hour")),
                FormPart(name: "file", content: .file(source, fileName: "a", contentType: "image/jpeg")),
                FormPart(name: "second", content: .file(source, fileName: "c", contentType: "image/jpeg")),
            ])
        var continued = DownloadSpec(directory: "/out", fileName: "old.mp4", collision: .overwrite)
        continued.foreign = Self.foreign
        let all = [
            make("continued", .download(continued), "GET", "http://files.test/old.mp4"),
            make(
                "download", .download(DownloadSpec(directory: "/out", fileName: "film.mp4")), "GET",
                "http://files.test/film.mp4"),
            make(
                "small", .download(DownloadSpec(directory: "/out", fileName: "small.mp4")), "GET",
                SimulatedWorld.small),
            make(
                "parted", .download(DownloadSpec(directory: "/out", fileName: "parted.mp4")), "GET",
                SimulatedWorld.parted),
            make("put", .upload(.raw(source)), "PUT", "http://up.test/put"),
            make("post", .upload(.raw(source)), "POST", "http://up.test/post"),
            make("staged", .upload(.raw(staged)), "PUT", "http://up.test/staged"),
            make("tus", .upload(.tus(source, metadata: [])), "POST", "http://tus.test/files"),
            make("named", .upload(.raw(source)), "PUT", SimulatedWorld.guarded),
            make("moved", .upload(.raw(source)), "PUT", SimulatedWorld.expired),
            make("bye", .request(body: [1, 2]), "POST", "http://up.test/bye"),
            make("cancelled", .upload(.tus(source, metadata: [])), "POST", "http://tus.test/files"),
            make(
                "paused", .download(DownloadSpec(directory: "/out", fileName: "later.mp4")), "GET",
                "http://files.test/later.mp4"),
            make("form", .upload(form), "POST", "http://up.test/form"),
        ]
        return all.filter { plan.script.keys.contains($0.options.key ?? "") }
    }()

    /// Runs until everything has ended, through any number of lives.
    func run() throws {
        world.update { [stagedBody] in $0.staged = [stagedBody] }
        if plan.script.keys.contains("continued") { world.addForeign(Self.foreign) }
        var current: Life?
        var turns = 0
        while true {
            let life = try current ?? open()
            current = life
            turns += 1
            #expect(turns < 500, "it never ends: \(plan)")
            if turns >= 500 { return }
            clock.withLock { $0 = $0 + plan.script.step }
            fillDisk(life)
            try turn(life, turns)
            if life.loop.isDead {
                die()
                current = nil
            } else if isOver(life.loop) {
                return
            } else if plan.script.handsOver, turns % 3 == 0, turns < 30 {
                handOver(life)
                current = nil
            }
        }
    }

    private func turn(_ life: Life, _ turn: Int) throws {
        let inputs = inputs(life, turn)
        if refusesEverything { try refuse(life.loop, inputs) }
        let before = life.loop.state.session
        life.loop.turn(refusesEverything ? [] : inputs)
        if !life.loop.isDead, life.loop.health.refusal != nil {
            #expect(life.loop.state.session == before, "a turn that was not committed has left something behind")
        }
    }

    /// Repeats the turn, each time with one more write. After each failure, the state must be as if the inputs had not
    /// arrived.
    private func refuse(_ loop: SessionLoop, _ inputs: [LoopInput]) throws {
        // Automatic starts have happened.
        loop.turn([])
        var commands: [LoopInput] = []
        for writes in 0..<1_000 where !loop.isDead {
            let before = try LoopMemory(loop, accepted.values)
            loop.state.store.writesLeft = writes
            loop.turn(writes == 0 ? inputs : commands)
            loop.state.store.writesLeft = nil
            guard loop.health.refusal != nil else { return }
            let after = try LoopMemory(loop, accepted.values)
            #expect(after.differences(from: before) == [], "\(plan), with \(writes) writes")
            // Events wait in the loop; commands were refused.
            commands = inputs.filter { if case .command = $0 { true } else { false } }
        }
    }

    private func die() {
        if plan.cutsPower { world.cutPower() }
        // The dead process is not restarted at once.
        if plan.script == .carried, deathCount % 2 == 1 { for _ in 0..<5 { world.update { $0.carryAll() } } }
        if plan.script == .forgotten { world.update { $0.loseCarried() } }
        app.loseService(andPower: plan.cutsPower)
        owner = .service
    }

    /// Hands the session from its owner to the other one.
    private func handOver(_ life: Life) {
        life.loop.shutDown(Mailbox(), [.release(.forced) { _ in }])
        if life.loop.isDead { return die() }
        owner = owner == .app ? .service : .app
    }

    private func fillDisk(_ life: Life) {
        guard let fullAt, fullTurns < 3 else { return }
        if life.loop.health.refusal != nil { fullTurns += 1 }
        let left = life.loop.state.store.writesLeft ?? fullAt
        writeCount = fullAt - left
        life.loop.state.store.writesLeft = fullTurns == 3 ? nil : left
    }

    struct Life {
        var loop: SessionLoop
        var engine: any SteppedEngine
        var helper: SimulatedHelper
    }

    private func open() throws -> Life {
        lives += 1
        let engine: any SteppedEngine =
            plan.script.isCarried ? SimulatedCarrier(world) : SimulatedEngine(world)
        let bootID = plan.cutsPower ? "boot-\(deathCount)" : "boot"
        var environment = RuntimeEnvironment(
            now: { [self] in clock.withLock { $0 } }, random: { [self] in chance.withLock { $0.next() } },
            bootID: bootID, survives: { [self] _ in survives() }, makeEngine: { _, _ in engine.whole })
        environment.ownerKind = plan.script.handsOver ? owner : .service
        let loop = try SessionLoop(
            directory: try SessionDirectory(layout), store: try Store(path: layout.store), environment: environment)
        loop.state.engine = engine.whole
        let helper = SimulatedHelper()
        loop.state.credentials.helper = helper
        loop.outlets.post = { helper.keep($0) }
        loop.outlets.startWake = { [self] _ in
            starts += 1
            isStarting = true
            app.start()
        }
        isStarting = false
        answers = []
        loop.outlets.startNotification = { [self] in show($0) }
        // Low limits, so that there is a queue.
        loop.state.turns.queue.setLimits(SessionLimits(total: 3, perHost: 2))
        try loop.recover()
        return Life(loop: loop, engine: engine, helper: helper)
    }

    /// A notification server that shows everything, and outlives the session's process.
    private func show(_ order: NotificationOrder) {
        switch order.act {
        case .post(_, let headline, let replaced):
            postCount += 1
            let number = replaced.flatMap { screen[$0.number] == nil ? nil : $0.number } ?? postCount
            screen[number] = headline
            answers.append(.notification(order.key, .posted(headline, number: number, server: "bus")))
        case .close(let shown):
            if let shown { screen[shown.number] = nil }
            answers.append(.notification(order.key, .closed))
        case .watch: break
        }
    }

    private func survives() -> Bool {
        points.withLock { $0 += 1 }
        pointsSinceDeath += 1
        guard deathCount < plan.deaths.count, pointsSinceDeath == plan.deaths[deathCount] else { return true }
        deathCount += 1
        pointsSinceDeath = 0
        return false
    }

    /// Returns the inputs of one turn: the engine's events, and the client's next requests.
    private func inputs(_ life: Life, _ turn: Int) -> [LoopInput] {
        var inputs = life.engine.advance().map { LoopInput.engine($0.0, $0.1) } + life.helper.takeInputs()
        inputs.append(.command(.setWake(Self.registration)) { _ in })
        if plan.script.notifies { inputs.append(.command(.notifications(.set(Self.notifications))) { _ in }) }
        if plan.script.hasTask { inputs += app.inputs() }
        inputs += answers
        answers = []
        if !hasReplaced, turn % 5 == 0, let id = accepted["moved"] {
            inputs.append(
                .command(.replaceURL(id, url: SimulatedWorld.fresh, headers: nil)) { [self] reply in
                    if case .controlled = reply { hasReplaced = true }
                })
        }
        if isStarting {
            isStarting = false
            inputs.append(.wakeEnded(WakeReport(.started)))
        }
        let missing = specs.filter { accepted[$0.options.key ?? ""] == nil }.compactMap(chained)
        if !missing.isEmpty {
            inputs.append(
                .command(.submit(missing)) { [self] reply in
                    guard case .submitted(let answers) = reply else { return }
                    for (spec, answer) in zip(missing, answers) {
                        switch answer {
                        case .accepted(let id), .existing(let id): record(spec.options.key ?? "", id)
                        case .refused(let failure): Issue.record("refused: \(failure)")
                        }
                    }
                })
        }
        if !hasChanged, let id = accepted["paused"], let first = accepted["small"] {
            inputs.append(
                .command(.adjust(Self.change(after: first), .ids([id]))) { [self] reply in
                    if case .controlled(let answer) = reply, answer.refusals.isEmpty { hasChanged = true }
                })
        }
        if turn % 3 == 0, let id = accepted["cancelled"] { inputs.append(control(.cancel, id)) }
        if let id = accepted["paused"] { inputs.append(control(turn % 4 < 2 && turn < 40 ? .pause : .resume, id)) }
        return inputs
    }

    private static func change(after first: TransferID) -> TransferAdjustment {
        var change = TransferAdjustment(rateLimit: 9_000_000, priority: 7)
        change.group = "changed"
        change.conditions = ConditionRules(allowsRoaming: false)
        change.predecessor = .init(first)
        return change
    }

    /// `nil` if its predecessor is missing.
    private func chained(_ spec: TransferSpec) -> TransferSpec? {
        guard let (key, isAnyEnd) = plan.script.predecessor(of: spec.options.key ?? "") else { return spec }
        guard let id = accepted[key] else { return nil }
        var spec = spec
        (spec.options.predecessor, spec.options.followsFailure) = (id, isAnyEnd)
        return spec
    }

    private func record(_ key: String, _ id: TransferID) {
        accepted[key] = id
    }

    private func control(_ verb: ControlVerb, _ id: TransferID) -> LoopInput {
        .command(.control(verb, .ids([id]))) { _ in }
    }

    private func isOver(_ loop: SessionLoop) -> Bool {
        let flights = loop.state.session.notifications.flights.values
        guard accepted.count == specs.count, hasReplaced || accepted["moved"] == nil,
            !flights.contains(where: \.isUnderWay)
        else { return false }
        if plan.script.hasTask {
            guard let task = try? loop.state.store.task(SimulatedApp.task) else { return false }
            return app.isIdle && task.isIdle && task.last?.outcome == .succeeded
        }
        let totals = loop.state.store.totals()
        guard totals.waiting + totals.running + totals.paused == 0 else { return false }
        return (try? loop.state.store.pendingCleanup().isEmpty) ?? false
    }

    /// Returns the transfer's record on disk.
    func record(_ key: String) throws -> TransferRecord {
        let store = try Store(path: layout.store)
        let id = try #require(accepted[key])
        return try #require(try store.record(id))
    }

    /// Returns the events that the app has not received yet.
    func pendingEvents() throws -> [EventRecord] {
        try Store(path: layout.store).events(after: 0, limit: 1_000)
    }

    /// Returns the state of the session's notification.
    func notification() throws -> NotificationSlot? {
        try Store(path: layout.store).notificationSlots()[.session]
    }

    func task() throws -> BackgroundTaskRecord? { try Store(path: layout.store).task(SimulatedApp.task) }

    func recordCount() throws -> Int {
        try Store(path: layout.store).ids(.all, ended: nil).count
    }
}
