import LonghaulCore
import LonghaulSystem
import Synchronization

/// The threads that wait for disks, so that the network thread does not: one for work that is over at once, two for
/// work that syncs, two that place small bodies, and one for files that must be read again for their digests, which may
/// take minutes.
final class FileWorkers: Sendable {
    enum QuickJob: Sendable {
        case inspectSources(Ticket, [String])
        case measurePartial(Ticket, path: String, directory: String)
        case discard(Ticket, [String])
        case close(Ticket, PartialFile)
        case keep(AlternativesFile, String)
    }

    enum SlowJob: Sendable {
        case place(PlaceJob)
        case check(Ticket, PieceCheck)
        case copy(Ticket, ForeignCopy)
        case checkpoint(Ticket, PartialTarget, length: Int64)
    }

    typealias Sink = @Sendable ([(Ticket, EngineEvent)]) -> Void

    /// How many waiting jobs one turn takes, so that they share syncs and one batch of events.
    private static let batchSize = 256
    private let quick: JobQueue<QuickJob>
    private let slow: JobQueue<SlowJob>
    private let reading: JobQueue<SlowJob>
    private let placements: PlacingQueue
    private let memory: DigestMemory
    private let bodies: HeldBodies
    private let placing: PlacingTickets
    private let threads: [EngineThread]

    init(
        mailbox: Mailbox, memory: DigestMemory, bodies: HeldBodies, sink: @escaping Sink
    ) throws(TransferFailure) {
        let quick = JobQueue<QuickJob>()
        let slow = JobQueue<SlowJob>()
        let reading = JobQueue<SlowJob>()
        let placements = PlacingQueue()
        let placing = PlacingTickets()
        let placement = Placement(memory: memory, placing: placing)
        var threads: [EngineThread] = []
        do throws(TransferFailure) {
            threads.append(
                try EngineThread(named: "longhaul-files") {
                    while let jobs = quick.take(upTo: Self.batchSize) {
                        Self.perform(jobs, mailbox: mailbox, memory: memory, bodies: bodies, sink: sink)
                    }
                })
            for _ in 0..<2 {
                threads.append(
                    try EngineThread(named: "longhaul-sync") {
                        while let jobs = slow.take(upTo: Self.batchSize) {
                            Self.perform(jobs, placement: placement, mailbox: mailbox, sink: sink)
                        }
                    })
                threads.append(
                    try EngineThread(named: "longhaul-place") {
                        while let batch = placements.take(upTo: Self.batchSize) {
                            let begin = SystemClock.monotonic()
                            sink(placement.perform(batch))
                            placements.finish(batch, begun: begin)
                        }
                    })
            }
            threads.append(
                try EngineThread(named: "longhaul-read") {
                    while let jobs = reading.take(upTo: 1) {
                        Self.perform(jobs, placement: placement, mailbox: mailbox, sink: sink)
                    }
                })
        } catch {
            quick.close()
            slow.close()
            reading.close()
            placements.close()
            for thread in threads { thread.join() }
            throw error
        }
        self.quick = quick
        self.slow = slow
        self.reading = reading
        self.placements = placements
        self.memory = memory
        self.bodies = bodies
        self.placing = placing
        self.threads = threads
    }

    func add(_ job: QuickJob) { quick.add(job) }

    func checkpoint(_ ticket: Ticket, _ file: PartialTarget, length: Int64) {
        slow.add(.checkpoint(ticket, file, length: length))
    }

    /// Places what the end of an exchange has left: a body in memory, or a file.
    func place(_ ticket: Ticket, _ plan: PlacePlan) {
        placing.begin(ticket)
        let job = PlaceJob(ticket: ticket, plan: plan, body: bodies.take(path: plan.partialPath))
        if plan.signature != nil {
            // gpgv reads it all, and nobody should wait for that.
            reading.add(.place(job))
        } else if job.body != nil {
            placements.add(job)
        } else if plan.digests.isEmpty || memory.knows(path: plan.partialPath) {
            slow.add(.place(job))
        } else {
            reading.add(.place(job))
        }
    }

    /// Reads all of a file.
    func check(_ ticket: Ticket, _ check: PieceCheck) {
        placing.begin(ticket)
        reading.add(.check(ticket, check))
    }

    /// Copies all of a file.
    func copy(_ ticket: Ticket, _ copy: ForeignCopy) {
        placing.begin(ticket)
        reading.add(.copy(ticket, copy))
    }

    /// Cuts a placement short; other jobs are over soon enough.
    func cancel(_ ticket: Ticket) { placing.cancel(ticket) }

    /// Finishes what is queued, placements cut short, and ends the threads. To be called once.
    func shutDown() {
        placing.cancelAll()
        quick.close()
        slow.close()
        reading.close()
        placements.close()
        for thread in threads { thread.join() }
    }

    private static func perform(
        _ jobs: [QuickJob], mailbox: Mailbox, memory: DigestMemory, bodies: HeldBodies, sink: Sink
    ) {
        var events: [(Ticket, EngineEvent)] = []
        for job in jobs {
            switch job {
            case .inspectSources(let ticket, let paths):
                events.append((ticket, .sourcesInspected(paths.map(inspectSource))))
            case .measurePartial(let ticket, let path, let directory):
                events += measurePartialFile(path: path, directory: directory).map { (ticket, $0) }
            case .discard(let ticket, let paths):
                for path in paths {
                    memory.forget(path: path)
                    bodies.forget(path: path)
                }
                events.append((ticket, .discarded(discardFiles(paths))))
            case .close(let ticket, let file):
                mailbox.post(.closed(ticket, file.finish(memory: memory)))
            case .keep(let file, let text): file.write(text)
            }
        }
        if !events.isEmpty { sink(events) }
    }

    private static func perform(_ jobs: [SlowJob], placement: Placement, mailbox: Mailbox, sink: Sink) {
        var placed: [PlaceJob] = []
        for job in jobs {
            switch job {
            case .place(let job): placed.append(job)
            case .check(let ticket, let check): sink([(ticket, .piecesChecked(placement.look(at: check, for: ticket)))])
            case .copy(let ticket, let copy): sink(placement.copy(copy, for: ticket).map { (ticket, $0) })
            case .checkpoint(let ticket, let file, let length):
                mailbox.post(.synced(ticket, syncCheckpoint(of: file, length: length)))
            }
        }
        if !placed.isEmpty { sink(placement.perform(placed)) }
    }
}

/// Which placements are queued or under way, and which of them are no longer wanted.
final class PlacingTickets: Sendable {
    private struct State {
        var isWanted: [Ticket: Bool] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    func begin(_ ticket: Ticket) {
        state.withLock { $0.isWanted[ticket] = true }
    }

    func end(_ ticket: Ticket) {
        state.withLock { $0.isWanted[ticket] = nil }
    }

    func cancel(_ ticket: Ticket) {
        state.withLock { state in
            if state.isWanted[ticket] != nil { state.isWanted[ticket] = false }
        }
    }

    func cancelAll() {
        state.withLock { $0.isClosed = true }
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    func isWanted(_ ticket: Ticket) -> Bool {
        state.withLock { !$0.isClosed && $0.isWanted[ticket] == true }
    }
}
