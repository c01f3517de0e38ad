package import LonghaulCore
import LonghaulSystem
import Synchronization

/// The threads that wait for disks, so that the loop and the network's threads do not. There is one thread for quick jobs, two for jobs
/// that sync, and two that place small bodies. One more reads whole files for their digests, which may take minutes.
///
/// The sink gets the events of one turn of a thread at a time, on that thread. It must be quick and must not call `shutDown`.
package final class FileWorkers: FileEngine {
    package typealias Sink = @Sendable ([(Ticket, EngineEvent)]) -> Void

    private enum QuickJob: Sendable {
        case inspectSources(Ticket, [String], mountPoints: [String: String])
        case measurePartial(Ticket, PartialRelocation, discarding: String?)
        case discard(Ticket, [String])
        case close(PartialFile, then: @Sendable (PartialFile.End) -> Void)
        case other(@Sendable () -> Void)
    }

    private enum SlowJob: Sendable {
        case place(PlaceJob)
        case check(Ticket, PieceCheck)
        case copy(Ticket, ForeignCopy)
        case move(Ticket, PartialRelocation, discarding: String?)
        case sync(PartialTarget, length: Int64, then: @Sendable (Result<Int64, TransferFailure>) -> Void)
    }

    /// The jobs of all threads, until they are closed.
    private struct Queues: Sendable {
        let quick = JobQueue<QuickJob>()
        let slow = JobQueue<SlowJob>()
        let reading = JobQueue<SlowJob>()
        let placements = PlacingQueue()

        func close() {
            quick.close()
            slow.close()
            reading.close()
            placements.close()
        }
    }

    /// The number of waiting jobs that one turn takes, so that they share syncs and one batch of events.
    private static let batchSize = 256
    private let queues = Queues()
    private let memory = DigestMemory()
    private let bodies = HeldBodies()
    private let placing = PlacingTickets()
    private let threads: [EngineThread]
    private let hasShutDown = Atomic(false)

    package init(sink: @escaping Sink) throws(TransferFailure) {
        let works = JobRunner(
            placement: Placement(memory: memory, placing: placing), placing: placing, memory: memory, bodies: bodies,
            sink: sink)
        let queues = queues
        var threads: [EngineThread] = []
        do throws(TransferFailure) {
            threads.append(
                try EngineThread(named: "longhaul-files") {
                    while let jobs = queues.quick.next(upTo: Self.batchSize) { works.perform(jobs) }
                })
            for _ in 0..<2 {
                threads.append(
                    try EngineThread(named: "longhaul-sync") {
                        while let jobs = queues.slow.next(upTo: Self.batchSize) { works.perform(jobs) }
                    })
                threads.append(
                    try EngineThread(named: "longhaul-place") {
                        while let batch = queues.placements.next(upTo: Self.batchSize) {
                            let begin = SystemClock.monotonic()
                            works.perform(batch)
                            queues.placements.finish(batch, begun: begin)
                        }
                    })
            }
            threads.append(
                try EngineThread(named: "longhaul-read") {
                    while let jobs = queues.reading.next(upTo: 1) { works.perform(jobs) }
                })
        } catch {
            queues.close()
            for thread in threads { thread.join() }
            throw error
        }
        self.threads = threads
    }

    deinit { shutDown() }

    package func start(_ work: FileWork, as ticket: Ticket) {
        switch work {
        case .inspectSources(let paths, let mountPoints):
            queues.quick.add(.inspectSources(ticket, paths, mountPoints: mountPoints))
        case .measurePartial(let path, let directory, let source?, _, _, let mountPoint):
            // All of the file is copied.
            placing.begin(ticket)
            let copy = ForeignCopy(source: source, path: path, directory: directory, mountPoint: mountPoint)
            queues.reading.add(.copy(ticket, copy))
        case .measurePartial(let path, let directory, nil, let other, let move, let mountPoint):
            let move = move ?? PartialMove(from: [], leftovers: [])
            let relocation = PartialRelocation(move: move, path: path, directory: directory, mountPoint: mountPoint)
            if move.sources.isEmpty {
                queues.quick.add(.measurePartial(ticket, relocation, discarding: other))
            } else {
                // The whole file may have to be copied.
                placing.begin(ticket)
                queues.reading.add(.move(ticket, relocation, discarding: other))
            }
        case .checkPieces(let check):
            // All of the file is read.
            placing.begin(ticket)
            queues.reading.add(.check(ticket, check))
        case .place(let plan): place(ticket, plan)
        case .discard(let paths): queues.quick.add(.discard(ticket, paths))
        }
    }

    /// Interrupts a placement, a check, or a copy; other jobs end soon enough.
    package func interrupt(_ ticket: Ticket) { placing.cancel(ticket) }

    package func shutDown() {
        guard !hasShutDown.exchange(true, ordering: .acquiringAndReleasing) else { return }
        placing.cancelAll()
        queues.close()
        for thread in threads { thread.join() }
    }

    /// Places the result of an exchange: a body in memory, or a file.
    private func place(_ ticket: Ticket, _ plan: PlacePlan) {
        placing.begin(ticket)
        let job = PlaceJob(ticket: ticket, plan: plan, body: bodies.remove(path: plan.partialPath))
        if plan.signature != nil {
            // gpgv reads the whole file, and other jobs should not wait for that.
            queues.reading.add(.place(job))
        } else if job.body != nil {
            queues.placements.add(job)
        } else if plan.digests.isEmpty || memory.knows(path: plan.partialPath) {
            queues.slow.add(.place(job))
        } else {
            queues.reading.add(.place(job))
        }
    }
}

// Used while bodies are received.
extension FileWorkers {
    /// Syncs a file up to a length; `then` is called on a thread of the workers.
    package func sync(
        _ file: PartialTarget, length: Int64, then: @escaping @Sendable (Result<Int64, TransferFailure>) -> Void
    ) {
        queues.slow.add(.sync(file, length: length, then: then))
    }

    /// Writes the rest of a file without a writer and closes it; `then` is called on a thread of the workers.
    package func close(_ file: PartialFile, then: @escaping @Sendable (PartialFile.End) -> Void) {
        queues.quick.add(.close(file, then: then))
    }

    /// Like `close`, but at once on the caller's thread.
    package func finish(_ file: PartialFile) { _ = file.finish(memory: memory) }

    /// Keeps a complete body in memory until it is placed; `false` if there is no room for it.
    package func hold(_ file: PartialFile) -> Bool { bodies.hold(file) }

    package func forgetHeld(path: String) { bodies.forget(path: path) }

    /// Returns a thread that writes to an open file; `nil` if there are too many already. Both calls come on that thread.
    package func makeWriter(
        of target: PartialTarget, budget: WriterBudget, onRoom: @escaping @Sendable () -> Void,
        onEnd: @escaping @Sendable (PartialFile.End) -> Void
    ) -> PieceWriter? {
        PieceWriter(target: target, budget: budget, memory: memory, onRoom: onRoom, onEnd: onEnd)
    }

    /// Runs quick work on a small file.
    package func perform(_ work: @escaping @Sendable () -> Void) { queues.quick.add(.other(work)) }
}

// The work of the threads.
extension FileWorkers {
    private struct JobRunner: Sendable {
        let placement: Placement
        let placing: PlacingTickets
        let memory: DigestMemory
        let bodies: HeldBodies
        let sink: Sink

        func perform(_ jobs: [QuickJob]) {
            var events: [(Ticket, EngineEvent)] = []
            for job in jobs {
                switch job {
                case .inspectSources(let ticket, let paths, let mountPoints):
                    let results = paths.map { inspectSource($0, mountPoint: mountPoints[$0]) }
                    events.append((ticket, .sourcesInspected(results)))
                case .measurePartial(let ticket, let relocation, let other):
                    events += measure(relocation, discarding: other) { true }.map { (ticket, $0) }
                case .discard(let ticket, let paths):
                    events.append((ticket, .discarded(discard(paths))))
                case .close(let file, let then): then(file.finish(memory: memory))
                case .other(let work): work()
                }
            }
            if !events.isEmpty { sink(events) }
        }

        private func measure(
            _ relocation: PartialRelocation, discarding other: String?, isWanted: () -> Bool
        ) -> [EngineEvent] {
            relocation.perform(
                prepare: { () throws(TransferFailure) in
                    if let other, let failure = discard([other]) { throw failure }
                    for path in relocation.move.sources + relocation.move.leftovers { forget(path) }
                }, isWanted: isWanted)
        }

        private func forget(_ path: String) {
            memory.forget(path: path)
            bodies.forget(path: path)
        }

        private func discard(_ paths: [String]) -> TransferFailure? {
            for path in paths { forget(path) }
            return discardFiles(paths)
        }

        func perform(_ jobs: [SlowJob]) {
            var placed: [PlaceJob] = []
            for job in jobs {
                switch job {
                case .place(let job): placed.append(job)
                case .check(let ticket, let check):
                    sink([(ticket, .piecesChecked(placement.verify(at: check, for: ticket)))])
                case .copy(let ticket, let copy): sink(placement.copy(copy, for: ticket).map { (ticket, $0) })
                case .move(let ticket, let relocation, let other):
                    let events = measure(relocation, discarding: other) { placing.isWanted(ticket) }
                    placing.end(ticket)
                    // The engine is shutting down: the next owner of the session moves the file.
                    if placing.isClosed, case .partialMeasured(.failure(let failure))? = events.last,
                        failure.code == .interrupted
                    {
                        continue
                    }
                    sink(events.map { (ticket, $0) })
                case .sync(let file, let length, let then): then(syncCheckpoint(of: file, length: length))
                }
            }
            if !placed.isEmpty { perform(placed) }
        }

        func perform(_ batch: [PlaceJob]) { sink(placement.perform(batch)) }
    }
}
