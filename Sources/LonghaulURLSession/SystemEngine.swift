package import Foundation
package import LonghaulCore
import LonghaulSystem
import Synchronization

/// The engine over the system's sessions. The foreground session runs in this process. The two background sessions, one
/// for urgent and one for discretionary exchanges, are run by the system and continue after the process has ended.
package final class SystemEngine: ExchangeEngine {
    package typealias Sink = @Sendable ([(Ticket, EngineEvent)]) -> Void
    package enum Lane: Sendable { case front, back }

    /// One exchange that this process knows of.
    struct Running {
        var lane: Lane
        /// Whether another exchange is to transfer the bytes.
        var isStep = false
        /// Whether its server reports its offset, so that no byte is sent twice.
        var goesOn = false
        var note: ExchangeNote
        /// `nil` until the loop has adopted the exchange.
        var ticket: Ticket?
        var task: URLSessionTask?
        /// Whether the system has the task: it starts a task of this process when it is resumed.
        var isResumed = true
        var body: [UInt8] = []
        var isBodyTruncated = false
        var witness = BodyWitness(sight: .gaps)
        var isReceiving = false
        /// The file of a download of this process.
        var arriving: ArrivingFile?
        /// `nil` if the system follows redirects.
        var redirects: RedirectTrail?
        var isCancelled = false
        /// The events that the loop received, or will receive when it adopts the exchange, if the exchange has ended or waits for a
        /// decision.
        var events: [EngineEvent]?

        /// Returns whether a task of this name belongs to this exchange, and not to an earlier one of the same attempt.
        func isMoved(by other: URLSessionTask) -> Bool {
            // The task's number alone is not unique: each session counts its own tasks.
            task.map { $0 === other } ?? (witness.sight != .nothingLeft)
        }
    }

    struct State {
        var exchanges: [ExchangeID: Running] = [:]
        var tickets: [Ticket: ExchangeID] = [:]
        var lane = Lane.front
        /// Bytes that were transferred in this process since the system was chosen, and must be transferred again.
        var movedInVain: [TransferID: Int64] = [:]
        var isShutDown = false
        /// Reports the survivors when the system has delivered all events, or when its time for that is over.
        var answer: (@Sendable () -> Void)?
        var afterEvents: [(session: String, tell: @Sendable () -> Void)] = []
        /// Sessions that delivered all events before that was requested.
        var allTold: Set<String> = []
    }

    let state = Mutex(State())
    let notes: ExchangeNotes
    let settling: TimeInterval
    let clock: @Sendable () -> WallTime
    private let sink: Sink
    let lanes: SystemLanes
    /// The background session for urgent exchanges.
    private let identifier: String
    /// Bodies are assembled and tasks are resumed on this queue, one at a time.
    let work = DispatchQueue(label: "longhaul.bodies")
    /// The same for bodies that take long, so that they delay no others.
    private let copying = DispatchQueue(label: "longhaul.copies")
    /// The most bytes that one attempt of a resumable upload copies from the middle of a file.
    private let copyLimit: Int64

    /// `directory` holds the records of the system's exchanges. `settling` limits how long the system may take to
    /// report the exchanges that ended while no process was running.
    package init(
        _ options: BackgroundSessionOptions, directory: String, anchors: PathAnchors = .none,
        sessions: SystemSessions = .ofProcess,
        settling: TimeInterval = 2, copyLimit: Int64 = 256 << 20,
        clock: @escaping @Sendable () -> WallTime = { SystemClock.wallTime() }, sink: @escaping Sink
    ) throws(TransferFailure) {
        notes = try ExchangeNotes(directory, anchors: anchors)
        self.settling = settling
        self.copyLimit = copyLimit
        self.clock = clock
        self.sink = sink
        lanes = SystemLanes(options, sessions)
        identifier = options.identifier
        lanes.front.attach(self)
        lanes.back.attach(self)
    }

    package var traits: EngineTraits { EngineTraits(holdsLastBytes: false, outlivesProcess: true) }

    /// Why the system cannot run transfers until the next launch; `nil` if it can. Meanwhile, this process runs them.
    package var backgroundFailure: TransferFailure? { lanes.back.failure }

    /// Selects where later exchanges run.
    package func setLane(_ lane: Lane) {
        state.withLock { state in
            state.lane = lane
            state.movedInVain = [:]
        }
    }

    /// Returns where the exchange that transfers a transfer's bytes runs; `nil` if there is none.
    package func lane(of transfer: TransferID) -> Lane? {
        state.withLock { state in
            state.exchanges.first { id, running in
                id.transfer == transfer && running.task != nil && running.isResumed && !running.isStep
                    && !running.isCancelled
            }?.value.lane
        }
    }

    /// The number of bytes per transfer that this process has transferred since the system was chosen, and that the system must transfer
    /// again.
    package var movedInVain: [TransferID: Int64] { state.withLock(\.movedInVain) }

    package func start(_ plan: ExchangePlan, as ticket: Ticket, named name: ExchangeID?) {
        let plan = plan.copying(atMost: copyLimit)
        // Nothing looks up an unnamed exchange: a later process that finds it cancels it.
        let id = name ?? ExchangeID(transfer: Self.nobody(ticket), attempt: 0)
        let leftOver = state.withLock { state in
            let other = state.exchanges[id].flatMap { $0.ticket == nil ? $0.task : nil }
            state.exchanges[id] = Running(
                lane: lanes.lane(of: plan, wanted: state.lane), isStep: plan.isStep,
                goesOn: plan.isOfResumableUpload, note: ExchangeNote(plan), ticket: ticket, isResumed: false,
                witness: BodyWitness(sight: .nothingLeft, hasMoved: false))
            state.tickets[ticket] = id
            return other
        }
        // An exchange of the same attempt, from a process that has ended, which was not adopted.
        leftOver?.cancel()
        (plan.body?.isInPlace ?? true ? work : copying).async { [self] in begin(plan, id) }
    }

    static func nobody(_ ticket: Ticket) -> TransferID { TransferID(high: 0, low: ticket.number) }

    package func cancel(_ ticket: Ticket) {
        guard let id = state.withLock({ $0.tickets[ticket] }) else { return }
        let running = state.withLock { state in
            state.exchanges[id]?.isCancelled = true
            return state.exchanges[id]
        }
        switch running?.events {
        case nil:
            Self.cancel(running?.task)
            running?.arriving?.abandon()
        case let events? where events.last?.isEnding ?? true: break
        // It waits for a decision that will not come.
        case .some: end(id, ExchangeOutcome(ending: .cancelled))
        }
    }

    static func cancel(_ task: URLSessionTask?) {
        // The resume data is delivered again with the task's end.
        switch task {
        case let task as URLSessionDownloadTask: task.cancel { _ in }
        case let task as URLSessionUploadTask: task.cancel { _ in }
        case let task: task?.cancel()
        }
    }

    package func release(_ ticket: Ticket, _ decision: ReleaseDecision) {
        let path: String?
        switch decision {
        case .writeFromStart: path = nil
        case .writeBeside(let other): path = other
        case .sendRest, .openSegments: return
        }
        let found = state.withLock { state -> (ExchangeID, ExchangeNote)? in
            guard let id = state.tickets[ticket] else { return nil }
            if let path { state.exchanges[id]?.note.partialPath = path }
            return state.exchanges[id].map { (id, $0.note) }
        }
        guard let (id, note) = found else { return }
        work.async { [self] in
            guard let arriving = state.withLock({ $0.exchanges[id]?.arriving }) else {
                return conclude(id, note, mayRestart: true)
            }
            arriving.writeFromStart(of: path) { report(ticket, $0) }
        }
    }

    package func progress(of ticket: Ticket) -> ExchangeProgress? {
        let running = state.withLock { state in state.tickets[ticket].flatMap { state.exchanges[$0] } }
        guard let running, running.task != nil || running.note.isOnceOnly else { return nil }
        var progress = ExchangeProgress(
            sent: running.task?.countOfBytesSent ?? 0,
            received: running.arriving?.received ?? running.task?.countOfBytesReceived ?? 0)
        progress.stopLeavesDoubt = stopLeavesDoubt(running)
        return progress
    }

    package func setRateLimit(_ bytesPerSecond: Int64?, of ticket: Ticket) {}
    package func setAllowance(_ bytes: Int64?, of ticket: Ticket) {}

    package func recordDiscarded(partials: [String]) { notes.discardTokens(ofPartials: partials) }

    package func recordSettled(_ ticket: Ticket) {
        let ended = state.withLock { state -> ExchangeID? in
            // The next exchange of the same attempt may have started already: the note belongs to that one.
            guard let id = state.tickets.removeValue(forKey: ticket), state.exchanges[id]?.ticket == ticket else {
                return nil
            }
            state.exchanges[id] = nil
            return id
        }
        if let ended { notes.remove(ended) }
    }

    package func shutDown() {
        let isFirst = state.withLock { state in
            defer { state.isShutDown = true }
            return !state.isShutDown
        }
        guard isFirst else { return }
        // A task being passed to the system is passed completely or not at all, so that the next engine finds it.
        work.sync {}
        copying.sync {}
        lanes.shutDown()
    }

    /// Calls back when the session with that identifier has delivered all events that happened while no process was running, for
    /// `application(_:handleEventsForBackgroundURLSession:completionHandler:)`. `nil` is the session for urgent exchanges.
    package func whenAllIsTold(of session: String? = nil, _ call: @escaping @Sendable () -> Void) {
        let session = session ?? identifier
        let isLate = state.withLock { state in
            let isLate = state.allTold.remove(session) != nil
            if !isLate { state.afterEvents.append((session, call)) }
            return isLate
        }
        if isLate { call() }
    }

    func report(_ ticket: Ticket, _ events: [EngineEvent]) {
        guard !events.isEmpty, !state.withLock(\.isShutDown) else { return }
        sink(events.map { (ticket, $0) })
    }

    /// In this order, so that whenever the process dies, every later event has a known name.
    private func begin(_ plan: ExchangePlan, _ id: ExchangeID) {
        guard let running = state.withLock({ $0.isShutDown ? nil : $0.exchanges[id] }) else { return }
        do throws(TransferFailure) {
            guard !running.isCancelled else { return end(id, ExchangeOutcome(ending: .cancelled, requestLeft: false)) }
            let (task, goesOn) = try makeTask(plan, id, in: lanes.session(running.lane, plan.terms))
            TaskHints.apply(plan, to: task)
            task.taskDescription = id.description
            var note = running.note
            note.usesResumeData = goesOn
            try notes.write(note, of: id)
            var arriving: ArrivingFile?
            if case .partial(let partial) = plan.sink, task is URLSessionDataTask {
                arriving = ArrivingFile(partial, limit: note.responseLimit)
            }
            state.withLock { state in
                state.exchanges[id]?.note.usesResumeData = goesOn
                state.exchanges[id]?.arriving = arriving
                if running.lane == .front { state.exchanges[id]?.redirects = RedirectTrail(plan) }
                state.exchanges[id]?.task = task
                state.exchanges[id]?.witness.goesOn = goesOn
            }
            release(task, of: id)
        } catch {
            guard !state.withLock(\.isShutDown) else { return }
            end(id, ExchangeOutcome(ending: .broke(error), requestLeft: false))
        }
    }

    /// Passes the task to the system, unless the exchange was cancelled.
    func release(_ task: URLSessionTask, of id: ExchangeID) {
        let isWanted = state.withLock { state in
            guard let running = state.exchanges[id], !running.isCancelled else { return false }
            state.exchanges[id]?.witness.release(in: running.lane)
            return true
        }
        guard isWanted else { return Self.cancel(task) }
        task.resume()
        // Until now, a process that is suspended would keep the task from the system.
        state.withLock { $0.exchanges[id]?.isResumed = true }
    }
}
