import Glibc
import LonghaulCore
import LonghaulCurl
import LonghaulFiles
import Synchronization
import TestSupport

/// An engine, a server, and a directory of one test, and the log of all events of the engine.
final class World: Sendable {
    struct Entry: Sendable {
        var ticket: Ticket
        var event: EngineEvent
    }

    let server: NastyServer
    let directory: TemporaryDirectory
    let engine: any ExchangeEngine
    let files: any FileEngine
    let clock = EngineClock()
    let log = TestSupport.Mailbox<Entry>()
    private let lastTicket = Atomic<UInt64>(0)

    init(
        _ routes: [String: Route] = [:], settings: HTTP2Settings = HTTP2Settings(),
        peerLimits: PeerLimits = PeerLimits()
    ) throws {
        server = try NastyServer(routes: routes, settings: settings)
        directory = try TemporaryDirectory()
        let log = log
        let whole = try Engine.overLibcurl(
            bodyPaths: EachPath.rule, writers: WriterBudget(limit: 16), clock: clock, peerLimits: peerLimits
        ) { batch in
            for (ticket, event) in batch { log.append(Entry(ticket: ticket, event: event)) }
        }
        (engine, files) = (whole.exchanges, whole.files)
    }

    deinit {
        shutDown()
        server.stop()
    }

    private var whole: Engine { Engine(exchanges: engine, files: files) }

    func shutDown() { whole.shutDown() }

    /// Options with which the server is trusted.
    var network: NetworkOptions { server.network }

    var partial: String { directory.path("file.part") }

    func start(_ work: EngineWork) -> Ticket {
        let ticket = Ticket(lastTicket.add(1, ordering: .relaxed).newValue)
        whole.start(EngineJob(ticket: ticket, work: work))
        return ticket
    }

    func start(_ work: FileWork) -> Ticket { start(.files(work)) }

    /// Returns all events of a ticket so far.
    func events(of ticket: Ticket) -> [EngineEvent] { log.all.filter { $0.ticket == ticket }.map(\.event) }

    func next(_ ticket: Ticket, where fits: (EngineEvent) -> Bool) throws -> EngineEvent {
        try log.next { $0.ticket == ticket && fits($0.event) }.event
    }

    func ending(of ticket: Ticket) throws -> EngineEvent { try next(ticket, where: \.isEnding) }

    func outcome(of ticket: Ticket) throws -> ExchangeOutcome {
        guard case .exchangeEnded(let outcome) = try ending(of: ticket) else { throw Unexpected() }
        return outcome
    }

    func run(_ work: FileWork) throws -> EngineEvent { try ending(of: start(work)) }

    func exchange(_ plan: ExchangePlan) throws -> ExchangeOutcome { try outcome(of: start(.exchange(plan))) }
}

extension World {
    /// Returns a plan for a download, as the loop would create it.
    func download(
        _ path: String, resume: ResumePoint? = nil, digests: Set<Digest.Algorithm> = [],
        checkpointInterval: Int64 = 64 << 20, to name: String = "file.part"
    ) -> ExchangePlan {
        var headers = [HeaderField("Accept-Encoding", "identity")]
        if let resume { headers.append(HeaderField("Range", "bytes=\(resume.requestedStart)-")) }
        if let tag = resume?.validators.entityTag { headers.append(HeaderField("If-Range", tag)) }
        return ExchangePlan(
            method: "GET", url: server.url(path), headers: headers, body: nil,
            sink: .partial(
                PartialPlan(
                    path: directory.path(name), resume: resume, digests: digests, checkpointInterval: checkpointInterval
                )),
            network: CopyOnWrite(network), followsOnlyRepeatingRedirects: false)
    }

    func request(
        _ method: String, _ path: String, body: BodyPlan? = nil, headers: [HeaderField] = [], limit: Int = 1 << 20
    ) -> ExchangePlan {
        ExchangePlan(
            method: method, url: server.url(path), headers: headers, body: body, sink: .memory(limit: limit),
            network: CopyOnWrite(network), followsOnlyRepeatingRedirects: body != nil)
    }

    /// A body of one file that is written first.
    func fileBody(_ content: Content, name: String = "source", holdsLastBytes: Bool = false) throws -> BodyPlan {
        BodyPlan(
            segments: [.file(try source(content, name: name), offset: 0, length: content.length)],
            length: content.length, holdsLastBytes: holdsLastBytes)
    }

    func source(_ content: Content, name: String = "source") throws -> SourceFile {
        try directory.write(content, to: name)
        guard case .sourcesInspected(let answers) = try run(.inspectSources([directory.path(name)])) else {
            throw Unexpected()
        }
        return SourceFile(path: directory.path(name), pin: try answers[0].get())
    }

    /// Waits for bytes that the server has sent already: only this process's threads are still to run.
    func waitUntilReceived(_ count: Int64, _ ticket: Ticket) {
        while let progress = engine.progress(of: ticket), progress.received < count { usleep(500) }
    }

    /// Waits until the partial file has `count` of the bytes that the server has sent, and returns its length. Advances
    /// the engine's clock, because the engine writes buffered bytes every two seconds.
    func waitUntilWritten(_ count: Int64) throws -> Int64 {
        let deadline = ContinuousClock.now + .patience
        while partialLength < count, ContinuousClock.now < deadline {
            try advance(by: .seconds(2))
            usleep(2_000)
        }
        return partialLength
    }

    /// The length of the partial file, or 0 if it does not exist.
    var partialLength: Int64 {
        var status = stat()
        return stat(partial, &status) == 0 ? Int64(status.st_size) : 0
    }

    func contentOfPartial() throws -> [UInt8] { try directory.read("file.part") }
}

// The engine's clock.
extension World {
    /// Advances the engine's clock. The engine has acted on the new time when this returns.
    func advance(by span: Duration) throws {
        clock.advance(by: span)
        // The engine rejects an empty URL at once. The network thread may reject the first one in a turn that started
        // before the advance, but not the second one.
        for _ in 0..<2 {
            var plan = request("GET", "/")
            plan.url = ""
            _ = try exchange(plan)
        }
    }

    /// Waits for the end of an exchange that stalls, and returns its outcome. Advances the engine's clock by `step` whenever
    /// no byte moves. Even if `step` is the limit of silence, one may not be enough: a late acknowledgment is a sign of life.
    func outcome(of ticket: Ticket, advancingBy step: Duration) throws -> ExchangeOutcome {
        let deadline = ContinuousClock.now + .patience
        while let before = bytesMoved(ticket), ContinuousClock.now < deadline {
            usleep(30_000)
            if bytesMoved(ticket) == before { try advance(by: step) }
        }
        return try outcome(of: ticket)
    }

    /// Waits until a transfer with a rate limit has moved `count` bytes. Advances the engine's clock by `step`, which has to be
    /// enough for one chunk, after each movement.
    func waitUntilMoved(_ count: Int64, _ ticket: Ticket, advancingBy step: Duration = .seconds(1)) throws {
        while let before = bytesMoved(ticket), before < count {
            try advance(by: step)
            while bytesMoved(ticket) == before { usleep(500) }
        }
    }

    private func bytesMoved(_ ticket: Ticket) -> Int64? { engine.progress(of: ticket).map { $0.sent + $0.received } }

    func isRunning(_ ticket: Ticket) -> Bool { engine.progress(of: ticket) != nil }
}

extension ResumePoint {
    static func at(_ length: Int64, overlap: Int64 = 0, tag: String? = "\"v1\"", total: Int64? = nil) -> ResumePoint {
        ResumePoint(
            length: length, overlap: overlap,
            validators: Validators(entityTag: tag, lastModified: nil, isSoft: false, total: total))
    }
}

extension ExchangeOutcome {
    var failure: TransferFailure? {
        guard case .broke(let failure) = ending else { return nil }
        return failure
    }
}

/// A body of bytes that are at hand.
func body(_ bytes: [UInt8], holdsLastBytes: Bool = false) -> BodyPlan {
    BodyPlan(segments: [.bytes(bytes)], length: Int64(bytes.count), holdsLastBytes: holdsLastBytes)
}

/// A file of the system.
func readAll(_ path: String) throws -> [UInt8] {
    guard let file = fopen(path, "re") else { throw Unexpected() }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    return bytes
}
