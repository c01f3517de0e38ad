import LonghaulCore
import LonghaulStore
import Synchronization
import TestSupport
import Testing

@testable import LonghaulRuntime

/// One busy hour of a session, which can be made to die at any of its commits and actions.
///
/// `@unchecked Sendable`: everything happens on the one thread of the test; the closures only demand the promise.
final class CrashScenario: @unchecked Sendable {
    static let pin = SourcePin(size: SimulatedWorld.fileSize, modified: 1, inode: 2, device: 3)

    private static let registration = WakeRegistration(
        .systemdUnit("photos.service"), backoff: WakeBackoff(first: .seconds(30), longest: .seconds(100)))

    /// Everything is told, also while the app is here.
    static let notifications: NotificationSettings = {
        var settings = NotificationSettings(appName: "Photos")
        settings.showsWhileAppIsHere = true
        return settings
    }()

    let world = SimulatedWorld()
    private let temporary: TemporaryDirectory
    private let layout: SessionLayout
    private let clock = Mutex(WallTime(seconds: 1_800_000_000))
    private let chance = Mutex(SeededChance(seed: 11))
    /// Points passed in all lives; the one at `deathAt` is the last of its life.
    private let points = Mutex(0)
    private let deathAt: Int?
    private let cutsPower: Bool
    /// The number of the write at which the disk is found full, for three turns.
    var fullAt: Int?
    private(set) var writeCount = 0
    private var fullTurns = 0
    private(set) var lives = 0
    /// How often the app was started, and whether that is still to be told to the loop.
    private(set) var starts = 0
    private var isStarting = false
    /// What is on the screen, by number, and the answers that are still to be told to the loop.
    private(set) var screen: [UInt32: NotificationHeadline] = [:]
    private var postCount: UInt32 = 0
    private var answers: [LoopInput] = []
    /// What the client was told, by key.
    private(set) var accepted: [String: TransferID] = [:]
    /// Whether the client was told that the new URL is on disk.
    private var hasReplaced = false

    init(deathAt: Int?, cutsPower: Bool) throws {
        temporary = try TemporaryDirectory()
        layout = SessionLayout(directory: temporary.path + "/session")
        self.deathAt = deathAt
        self.cutsPower = cutsPower
    }

    private var stagedBody: String { layout.staged + "/b" }

    var pointCount: Int { points.withLock { $0 } }

    private(set) lazy var specs: [TransferSpec] = {
        let source = SourceFile(path: "/src/a", pin: Self.pin)
        let staged = SourceFile(path: stagedBody, pin: Self.pin, isStaged: true)
        func make(_ key: String, _ work: TransferSpec.Work, _ method: String, _ url: String) -> TransferSpec {
            var spec = TransferSpec(work: work, method: method, url: url)
            spec.options.key = key
            if key == "named" { spec.options.credential = CredentialName("photos") }
            return spec
        }
        return [
            make(
                "download", .download(DownloadSpec(directory: "/out", fileName: "film.mp4")), "GET",
                "http://files.test/film.mp4"),
            make(
                "small", .download(DownloadSpec(directory: "/out", fileName: "small.mp4")), "GET",
                SimulatedWorld.small),
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
        ]
    }()

    /// Runs until everything has ended, through as many lives as it takes.
    func run() throws {
        world.update { [stagedBody] in $0.staged = [stagedBody] }
        var current: Life?
        var turns = 0
        while true {
            let life = try current ?? open()
            current = life
            turns += 1
            #expect(turns < 500, "it never ends; death at \(deathAt ?? -1)")
            if turns >= 500 { return }
            clock.withLock { $0 = $0 + .seconds(400) }
            fillDisk(life)
            let before = life.loop.session
            life.loop.turn(inputs(life, turns))
            if !life.loop.isDead, life.loop.storeTrouble != nil {
                #expect(life.loop.session == before, "a turn that was not committed has left something behind")
            }
            if life.loop.isDead {
                if cutsPower { world.cutPower() }
                current = nil
            } else if isOver(life.loop) {
                return
            }
        }
    }

    private func fillDisk(_ life: Life) {
        guard let fullAt, fullTurns < 3 else { return }
        if life.loop.storeTrouble != nil { fullTurns += 1 }
        let left = life.loop.store.writesLeft ?? fullAt
        writeCount = fullAt - left
        life.loop.store.writesLeft = fullTurns == 3 ? nil : left
    }

    struct Life {
        var loop: SessionLoop
        var engine: SimulatedEngine
        var helper: SimulatedHelper
    }

    private func open() throws -> Life {
        lives += 1
        let engine = SimulatedEngine(world)
        let bootID = cutsPower ? "boot-\(lives)" : "boot"
        let environment = RuntimeEnvironment(
            now: { [self] in clock.withLock { $0 } }, random: { [self] in chance.withLock { $0.next() } },
            bootID: bootID, survives: { [self] _ in survives() }, makeEngine: { _, _ in engine })
        let loop = try SessionLoop(
            directory: try SessionDirectory(layout), store: try Store(path: layout.store), environment: environment)
        loop.engine = engine
        let helper = SimulatedHelper()
        loop.credentials.helper = helper
        loop.post = { helper.keep($0) }
        loop.startWake = { [self] _ in
            starts += 1
            isStarting = true
        }
        isStarting = false
        answers = []
        loop.startNotification = { [self] in show($0) }
        // Narrow, so that there is a queue.
        loop.queue.setLimits(SessionLimits(total: 3, perHost: 2))
        try loop.recover()
        return Life(loop: loop, engine: engine, helper: helper)
    }

    /// A server that shows everything, and outlives the session's process.
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
        points.withLock { points in
            points += 1
            return points != deathAt
        }
    }

    /// What arrives in one turn: the engine's events, and what the client still wants.
    private func inputs(_ life: Life, _ turn: Int) -> [LoopInput] {
        var inputs = life.engine.advance().map { LoopInput.engine($0.0, $0.1) } + life.helper.take()
        inputs.append(.command(.setWake(Self.registration)) { _ in })
        inputs.append(.command(.notifications(.set(Self.notifications))) { _ in })
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
        let missing = specs.filter { accepted[$0.options.key ?? ""] == nil }
        if !missing.isEmpty {
            inputs.append(
                .command(.submit(missing)) { [self] reply in
                    guard case .submitted(let answers) = reply else { return }
                    for (spec, answer) in zip(missing, answers) {
                        switch answer {
                        case .accepted(let id), .existing(let id): note(spec.options.key ?? "", id)
                        case .refused(let failure): Issue.record("refused: \(failure)")
                        }
                    }
                })
        }
        if turn % 3 == 0, let id = accepted["cancelled"] { inputs.append(control(.cancel, id)) }
        if let id = accepted["paused"] { inputs.append(control(turn % 4 < 2 && turn < 40 ? .pause : .resume, id)) }
        return inputs
    }

    private func note(_ key: String, _ id: TransferID) {
        accepted[key] = id
    }

    private func control(_ verb: ControlVerb, _ id: TransferID) -> LoopInput {
        .command(.control(verb, .ids([id]))) { _ in }
    }

    private func isOver(_ loop: SessionLoop) -> Bool {
        let flights = loop.session.notifications.flights.values
        guard accepted.count == specs.count, hasReplaced, !flights.contains(where: \.isUnderWay) else { return false }
        let totals = loop.store.totals()
        guard totals.waiting + totals.running + totals.paused == 0 else { return false }
        return (try? loop.store.pendingCleanup().isEmpty) ?? false
    }

    /// The state in which a transfer is on disk.
    func record(_ key: String) throws -> TransferRecord {
        let store = try Store(path: layout.store)
        let id = try #require(accepted[key])
        return try #require(try store.record(id))
    }

    /// What the app has still to be told.
    func pendingEvents() throws -> [EventRecord] {
        try Store(path: layout.store).events(after: 0, limit: 1_000)
    }

    /// How the session's notification stands.
    func notification() throws -> NotificationSlot? {
        try Store(path: layout.store).notificationSlots()[.session]
    }

    func recordCount() throws -> Int {
        try Store(path: layout.store).ids(.all, ended: nil).count
    }
}
