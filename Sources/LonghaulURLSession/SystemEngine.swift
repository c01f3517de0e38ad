package import Foundation
package import LonghaulCore
import Synchronization

/// Moves bytes by the system's own sessions, in two lanes: the front lane lives in this process, the back lane is carried by the system
/// and goes on when the process is gone. Jobs that are no exchanges are another engine's.
package final class SystemEngine: Engine {
    package typealias Sink = @Sendable ([(Ticket, EngineEvent)]) -> Void
    package enum Lane: Sendable { case front, back }

    /// One exchange that this process knows of.
    struct Running {
        var lane: Lane
        var note: ExchangeNote
        /// `nil` before the loop has adopted it.
        var ticket: Ticket?
        var task: URLSessionTask?
        var body: [UInt8] = []
        var isBodyTruncated = false
        var isBodySent = false
        var isReceiving = false
        var isCancelled = false
        /// It has ended, or waits for a decision: what the loop was told, or is told when it adopts it.
        var events: [EngineEvent]?
    }

    struct State {
        var exchanges: [ExchangeID: Running] = [:]
        var tickets: [Ticket: ExchangeID] = [:]
        var lane = Lane.front
        var isShutDown = false
        /// Survivors are answered when the system has told all, or when it has been given the time for it.
        var answer: (@Sendable () -> Void)?
        var afterEvents: [@Sendable () -> Void] = []
        /// All was told before anybody asked for that.
        var isAllTold = false
    }

    let state = Mutex(State())
    let notes: ExchangeNotes
    let settling: TimeInterval
    private let sink: Sink
    private let files: any Engine
    let front: SystemSession
    let back: SystemSession
    /// Bodies are put together here, one after the other.
    private let work = DispatchQueue(label: "longhaul.bodies")

    /// `directory` is where it notes what the system has; `settling` is how long the system may take to tell of what ended while no
    /// process was there.
    package init(
        _ options: BackgroundSessionOptions, directory: String, sessions: SystemSessions = .ofProcess,
        files: any Engine, settling: TimeInterval = 2, sink: @escaping Sink
    ) throws(TransferFailure) {
        notes = try ExchangeNotes(directory)
        self.settling = settling
        self.files = files
        self.sink = sink
        let configuration = URLSessionConfiguration.default
        configuration.waitsForConnectivity = true
        configuration.httpShouldSetCookies = false
        front = SystemSession(configuration)
        back = sessions.session(options)
        front.attach(self)
        back.attach(self)
    }

    package var traits: EngineTraits { EngineTraits(holdsLastBytes: false, outlivesProcess: true) }

    /// Where exchanges that begin from now on are carried.
    package func setLane(_ lane: Lane) { state.withLock { $0.lane = lane } }

    package func start(_ job: EngineJob) {
        if case .discard(let paths) = job.work { notes.discardTokens(ofPartials: paths) }
        guard case .exchange(let plan) = job.work else { return files.start(job) }
        // One without a name is looked for by nobody: whoever finds it after this process ends it.
        let id = job.exchange ?? ExchangeID(transfer: Self.nobody(job.ticket), attempt: 0)
        state.withLock { state in
            state.exchanges[id] = Running(lane: state.lane, note: ExchangeNote(plan), ticket: job.ticket)
            state.tickets[job.ticket] = id
        }
        work.async { [self] in begin(plan, id) }
    }

    static func nobody(_ ticket: Ticket) -> TransferID { TransferID(high: 0, low: ticket.number) }

    package func cancel(_ ticket: Ticket) {
        guard let id = state.withLock({ $0.tickets[ticket] }) else { return files.cancel(ticket) }
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
        if let task = task as? URLSessionDownloadTask { task.cancel { _ in } } else { task?.cancel() }
    }

    package func release(_ ticket: Ticket, _ decision: ReleaseDecision) {
        guard decision == .writeFromStart else { return }
        let found = state.withLock { state in
            state.tickets[ticket].flatMap { id in state.exchanges[id].map { (id, $0.note) } }
        }
        guard let (id, note) = found else { return }
        work.async { [self] in conclude(id, note, mayRestart: true) }
    }

    package func progress(of ticket: Ticket) -> ExchangeProgress? {
        let task = state.withLock { state in state.tickets[ticket].flatMap { state.exchanges[$0]?.task } }
        return task.map { ExchangeProgress(sent: $0.countOfBytesSent, received: $0.countOfBytesReceived) }
    }

    package func setRateLimit(_ bytesPerSecond: Int64?, of ticket: Ticket) {}
    package func setAllowance(_ bytes: Int64?, of ticket: Ticket) {}

    package func noteSettled(_ ticket: Ticket) {
        guard let id = state.withLock({ $0.tickets.removeValue(forKey: ticket) }) else { return }
        state.withLock { $0.exchanges[id] = nil }
        notes.remove(id)
    }

    package func shutDown() {
        let isFirst = state.withLock { state in
            defer { state.isShutDown = true }
            return !state.isShutDown
        }
        guard isFirst else { return }
        back.detach()
        front.detach()
        front.session.invalidateAndCancel()
        files.shutDown()
    }

    /// Calls back when all that ended while no process was there has been told, for
    /// `application(_:handleEventsForBackgroundURLSession:completionHandler:)`.
    package func whenAllIsTold(_ call: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            defer { state.isAllTold = false }
            if !state.isAllTold { state.afterEvents.append(call) }
            return state.isAllTold
        }
        if isLate { call() }
    }

    /// Transfers whose exchanges the system carries, so that they go on without this process.
    package var behind: Set<TransferID> {
        state.withLock { state in
            Set(state.exchanges.filter { $0.value.lane == .back && $0.value.events == nil }.map(\.key.transfer))
        }
    }

    /// Calls back when the system has been given all that was begun before.
    package func whenBegun(_ call: @escaping @Sendable () -> Void) { work.async(execute: call) }

    func tell(_ ticket: Ticket, _ events: [EngineEvent]) {
        guard !events.isEmpty, !state.withLock(\.isShutDown) else { return }
        sink(events.map { (ticket, $0) })
    }

    /// In this order, so that whatever dies no event meets a name that nobody knows.
    private func begin(_ plan: ExchangePlan, _ id: ExchangeID) {
        guard let running = state.withLock({ $0.exchanges[id] }) else { return }
        do throws(TransferFailure) {
            guard !running.isCancelled else { return end(id, ExchangeOutcome(ending: .cancelled, requestLeft: false)) }
            let task = try makeTask(plan, id, in: running.lane == .front ? front.session : back.session)
            task.taskDescription = id.description
            try notes.write(running.note, of: id)
            let isCancelled = state.withLock { state in
                state.exchanges[id]?.task = task
                return state.exchanges[id]?.isCancelled ?? true
            }
            task.resume()
            if isCancelled { Self.cancel(task) }
        } catch {
            end(id, ExchangeOutcome(ending: .broke(error), requestLeft: false))
        }
    }

    private func makeTask(
        _ plan: ExchangePlan, _ id: ExchangeID, in session: URLSession
    ) throws(TransferFailure) -> URLSessionTask {
        let request = try RequestBuilder.request(plan, of: id.transfer)
        if let body = plan.body {
            let path = try BodyFile.make(body, at: notes.upload(id))
            let task = session.uploadTask(with: request, fromFile: URL(fileURLWithPath: path))
            task.countOfBytesClientExpectsToSend = body.length
            return task
        }
        if case .partial(let partial) = plan.sink, partial.resume?.map != nil {
            throw TransferFailure(
                .internalFault, "A partial file with holes belongs to an engine that uses several connections.")
        }
        if case .partial(let partial) = plan.sink, partial.resume == nil,
            let token = notes.takeToken(of: id.transfer, url: plan.url)
        {
            return session.downloadTask(withResumeData: token)
        }
        return session.downloadTask(with: request)
    }
}
