package import Foundation
package import LonghaulCore
import LonghaulSystem
import Synchronization

/// Moves bytes by the system's own sessions, in two lanes: the front lane lives in this process, the back lane is carried by the system
/// and goes on when the process is gone: one session for what is urgent, one for what can wait.
package final class SystemEngine: ExchangeEngine {
    package typealias Sink = @Sendable ([(Ticket, EngineEvent)]) -> Void
    package enum Lane: Sendable { case front, back }

    /// One exchange that this process knows of.
    struct Running {
        var lane: Lane
        /// Whether another exchange is to move the bytes.
        var isStep = false
        /// Whether its server says how much it has, so that nothing is sent twice.
        var goesOn = false
        var note: ExchangeNote
        /// `nil` before the loop has adopted it.
        var ticket: Ticket?
        var task: URLSessionTask?
        var body: [UInt8] = []
        var isBodyTruncated = false
        var witness = BodyWitness(sight: .gaps)
        var isReceiving = false
        var isCancelled = false
        /// It has ended, or waits for a decision: what the loop was told, or is told when it adopts it.
        var events: [EngineEvent]?

        /// Whether what the system tells of a task of this name is about this exchange, and not about one of the same attempt before.
        func isMoved(by other: URLSessionTask) -> Bool {
            // Its number alone says little: each session counts its own tasks.
            task.map { $0 == other } ?? (witness.sight != .nothingLeft)
        }
    }

    struct State {
        var exchanges: [ExchangeID: Running] = [:]
        var tickets: [Ticket: ExchangeID] = [:]
        var lane = Lane.front
        /// What was moved in this process since the system was chosen, and has to be moved again.
        var movedInVain: [TransferID: Int64] = [:]
        var isShutDown = false
        /// Survivors are answered when the system has told all, or when it has been given the time for it.
        var answer: (@Sendable () -> Void)?
        var afterEvents: [(session: String, tell: @Sendable () -> Void)] = []
        /// Sessions of which all was told before anybody asked for that.
        var allTold: Set<String> = []
    }

    let state = Mutex(State())
    let notes: ExchangeNotes
    let settling: TimeInterval
    let clock: @Sendable () -> WallTime
    private let sink: Sink
    let lanes: SystemLanes
    /// The background session of what is not discretionary.
    private let identifier: String
    /// Bodies are put together and let go here, one after the other.
    let work = DispatchQueue(label: "longhaul.bodies")

    /// `directory` is where it notes what the system has; `settling` is how long the system may take to tell of what ended while no
    /// process was there.
    package init(
        _ options: BackgroundSessionOptions, directory: String, sessions: SystemSessions = .ofProcess,
        settling: TimeInterval = 2,
        clock: @escaping @Sendable () -> WallTime = { SystemClock.wallTime() }, sink: @escaping Sink
    ) throws(TransferFailure) {
        notes = try ExchangeNotes(directory)
        self.settling = settling
        self.clock = clock
        self.sink = sink
        lanes = SystemLanes(options, sessions)
        identifier = options.identifier
        lanes.front.attach(self)
        lanes.back.attach(self)
    }

    package var traits: EngineTraits { EngineTraits(holdsLastBytes: false, outlivesProcess: true) }

    /// Where exchanges that begin from now on are carried.
    package func setLane(_ lane: Lane) {
        state.withLock { state in
            state.lane = lane
            state.movedInVain = [:]
        }
    }

    /// Where the exchange is carried that moves a transfer's bytes; `nil` while there is none.
    package func lane(of transfer: TransferID) -> Lane? {
        state.withLock { state in
            state.exchanges.first { id, running in
                id.transfer == transfer && running.task != nil && !running.isStep && !running.isCancelled
            }?.value.lane
        }
    }

    /// How many bytes this process has moved that the system has to move again, by transfer, since it was chosen.
    package var movedInVain: [TransferID: Int64] { state.withLock(\.movedInVain) }

    package func start(_ plan: ExchangePlan, as ticket: Ticket, named name: ExchangeID?) {
        // One without a name is looked for by nobody: whoever finds it after this process ends it.
        let id = name ?? ExchangeID(transfer: Self.nobody(ticket), attempt: 0)
        let leftOver = state.withLock { state in
            let other = state.exchanges[id].flatMap { $0.ticket == nil ? $0.task : nil }
            state.exchanges[id] = Running(
                lane: SystemLanes.lane(of: plan, wanted: state.lane), isStep: plan.isStep,
                goesOn: plan.isOfResumableUpload, note: ExchangeNote(plan), ticket: ticket,
                witness: BodyWitness(sight: .nothingLeft))
            state.tickets[ticket] = id
            return other
        }
        // Of the same attempt, and of a process that is gone: nobody has taken it over.
        leftOver?.cancel()
        work.async { [self] in begin(plan, id) }
    }

    static func nobody(_ ticket: Ticket) -> TransferID { TransferID(high: 0, low: ticket.number) }

    package func cancel(_ ticket: Ticket) {
        guard let id = state.withLock({ $0.tickets[ticket] }) else { return }
        let running = state.withLock { state in
            state.exchanges[id]?.isCancelled = true
            return state.exchanges[id]
        }
        switch running?.events {
        case nil: Self.cancel(running?.task)
        case let events? where events.last?.isEnding ?? true: break
        // It waits for a decision that does not come any more.
        case .some: end(id, ExchangeOutcome(ending: .cancelled))
        }
    }

    static func cancel(_ task: URLSessionTask?) {
        // The resume data comes once more with the task's end.
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
        work.async { [self] in conclude(id, note, mayRestart: true) }
    }

    package func progress(of ticket: Ticket) -> ExchangeProgress? {
        let running = state.withLock { state in state.tickets[ticket].flatMap { state.exchanges[$0] } }
        guard let running, running.task != nil || running.note.isOnceOnly else { return nil }
        var progress = ExchangeProgress(
            sent: running.task?.countOfBytesSent ?? 0, received: running.task?.countOfBytesReceived ?? 0)
        progress.stopLeavesDoubt = stopLeavesDoubt(running)
        return progress
    }

    package func setRateLimit(_ bytesPerSecond: Int64?, of ticket: Ticket) {}
    package func setAllowance(_ bytes: Int64?, of ticket: Ticket) {}

    package func noteDiscarded(partials: [String]) { notes.discardTokens(ofPartials: partials) }

    package func noteSettled(_ ticket: Ticket) {
        let ended = state.withLock { state -> ExchangeID? in
            // The next exchange of the same attempt may have begun already: the note is that one's.
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
        // What is just being handed over is handed over whole, or not at all: the next engine must find it.
        work.sync {}
        lanes.shutDown()
    }

    /// Calls back when all that ended while no process was there has been told of the session with that identifier, for
    /// `application(_:handleEventsForBackgroundURLSession:completionHandler:)`; `nil` is the one of what is not discretionary.
    package func whenAllIsTold(of session: String? = nil, _ call: @escaping @Sendable () -> Void) {
        let session = session ?? identifier
        let isLate = state.withLock { state in
            let isLate = state.allTold.remove(session) != nil
            if !isLate { state.afterEvents.append((session, call)) }
            return isLate
        }
        if isLate { call() }
    }

    func tell(_ ticket: Ticket, _ events: [EngineEvent]) {
        guard !events.isEmpty, !state.withLock(\.isShutDown) else { return }
        sink(events.map { (ticket, $0) })
    }

    /// In this order, so that whatever dies no event meets a name that nobody knows.
    private func begin(_ plan: ExchangePlan, _ id: ExchangeID) {
        guard let running = state.withLock({ $0.isShutDown ? nil : $0.exchanges[id] }) else { return }
        do throws(TransferFailure) {
            guard !running.isCancelled else { return end(id, ExchangeOutcome(ending: .cancelled, requestLeft: false)) }
            let (task, goesOn) = try makeTask(plan, id, in: lanes.session(running.lane, plan.terms))
            TaskHints.apply(plan, to: task)
            task.taskDescription = id.description
            try notes.write(running.note, of: id)
            state.withLock { state in
                state.exchanges[id]?.task = task
                state.exchanges[id]?.witness.goesOn = goesOn
            }
            letGo(task, of: id)
        } catch {
            guard !state.withLock(\.isShutDown) else { return }
            end(id, ExchangeOutcome(ending: .broke(error), requestLeft: false))
        }
    }

    /// From here on the system has it, unless nobody wants it any more.
    func letGo(_ task: URLSessionTask, of id: ExchangeID) {
        let isWanted = state.withLock { state in
            guard let running = state.exchanges[id], !running.isCancelled else { return false }
            state.exchanges[id]?.witness.letGo(in: running.lane)
            return true
        }
        if isWanted { task.resume() } else { Self.cancel(task) }
    }
}
