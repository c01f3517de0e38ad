package import LonghaulCore

/// An engine that records its jobs, which the test answers manually.
///
/// Events reach the sink on the thread that calls `emit` (or `cancel`). `cancel` sends the job's ending event at once
/// unless `answersCancels` is off; `answer` handles any kind of job automatically.
package final class ScriptedEngine: ExchangeEngine, FileEngine {
    package typealias Sink = @Sendable (Ticket, EngineEvent) -> Void

    private struct State: Sendable {
        var sink: Sink?
        var answer: (@Sendable (EngineJob) -> EngineEvent?)?
        var answersCancels = true
        var jobs: [EngineJob] = []
        var running: [Ticket: EngineJob] = [:]
        var cancelled: [Ticket] = []
        var releases: [Release] = []
        var progress: [Ticket: ExchangeProgress?] = [:]
        var rateLimits: [RateLimit] = []
        var allowances: [Allowance] = []
        var connections: [Connections] = []
        var isShutDown = false
        var traits = EngineTraits.ofProcess
        var survivors: [SurvivingExchange] = []
        var dropped: [ExchangeID] = []
        var settled: [Ticket] = []
    }

    package struct Allowance: Equatable, Sendable {
        package var ticket: Ticket
        package var bytes: Int64?
    }

    package struct Connections: Equatable, Sendable {
        package var ticket: Ticket
        package var most: Int

        package init(ticket: Ticket, most: Int) {
            self.ticket = ticket
            self.most = most
        }
    }

    package struct Release: Equatable, Sendable {
        package var ticket: Ticket
        package var decision: ReleaseDecision
    }

    package struct RateLimit: Equatable, Sendable {
        package var ticket: Ticket
        package var bytesPerSecond: Int64?
    }

    private let state = Monitor(State())

    package init(sink: Sink? = nil) {
        state.update { $0.sink = sink }
    }

    /// Sets the receiver of events, for loops that are created after their engine.
    package func setSink(_ sink: @escaping Sink) {
        state.update { $0.sink = sink }
    }

    /// Answers jobs as they start with the event that `answer` gives; `nil` leaves a job to the test.
    package func answerJobs(_ answer: @escaping @Sendable (EngineJob) -> EngineEvent?) {
        state.update { $0.answer = answer }
    }

    package func setAnswersCancels(_ answersCancels: Bool) {
        state.update { $0.answersCancels = answersCancels }
    }

    /// Every job so far, in order.
    package var jobs: [EngineJob] { state.value.jobs }

    /// Jobs without an ending event, in order.
    package var runningJobs: [EngineJob] {
        let state = state.value
        return state.jobs.filter { state.running[$0.ticket] != nil }
    }

    package var cancelled: [Ticket] { state.value.cancelled }
    package var releases: [Release] { state.value.releases }
    package var rateLimits: [RateLimit] { state.value.rateLimits }
    package var allowances: [Allowance] { state.value.allowances }
    package var connections: [Connections] { state.value.connections }
    package var isShutDown: Bool { state.value.isShutDown }

    /// Returns the first running job that matches.
    package func job(where fits: (EngineJob) -> Bool) -> EngineJob? { runningJobs.first(where: fits) }

    /// Blocks until a running job matches.
    package func waitForJob(_ what: String = "a job", where fits: (EngineJob) -> Bool = { _ in true }) throws
        -> EngineJob
    {
        try state.wait(for: what) { state in
            state.jobs.first { state.running[$0.ticket] != nil && fits($0) }
        }
    }

    package func waitForJob(
        _ what: String = "a job", where fits: @escaping @Sendable (EngineJob) -> Bool = { _ in true }
    ) async throws -> EngineJob {
        try await aside { try self.waitForJob(what, where: fits) }
    }

    /// Waits until `cancel` was called for the job.
    package func waitForCancel(of ticket: Ticket) async throws {
        try await aside { [state] in
            try state.wait(for: "a cancel of \(ticket)") { $0.cancelled.contains(ticket) ? () : nil }
        }
    }

    /// Sends an event of a running job; an ending event ends the job. An event of an ended job is a mistake of the
    /// test; after `shutDown`, no events are sent.
    package func emit(_ ticket: Ticket, _ event: EngineEvent) {
        let sink = state.update { state -> Sink? in
            guard !state.isShutDown else { return nil }
            precondition(state.running[ticket] != nil, "\(ticket) has ended: it cannot send \(event)")
            if event.isEnding { state.running[ticket] = nil }
            return state.sink
        }
        sink?(ticket, event)
    }

    /// Sets the result of `progress(of:)`; `nil` if the exchange has ended and its event was not processed yet.
    package func setProgress(_ progress: ExchangeProgress?, of ticket: Ticket) {
        state.update { $0.progress[ticket] = .some(progress) }
    }

    /// Both parts of an engine.
    package var whole: Engine { Engine(exchanges: self, files: self) }

    package func start(_ plan: ExchangePlan, as ticket: Ticket, named name: ExchangeID?) {
        start(EngineJob(ticket: ticket, work: .exchange(plan), exchange: name))
    }

    package func start(_ work: FileWork, as ticket: Ticket) { start(EngineJob(ticket: ticket, work: .files(work))) }

    package func start(_ job: EngineJob) {
        let answer = state.update { state in
            precondition(!state.jobs.contains { $0.ticket == job.ticket }, "\(job.ticket) was used before")
            state.jobs.append(job)
            state.running[job.ticket] = job
            return state.answer
        }
        if let event = answer?(job) { emit(job.ticket, event) }
    }

    package func cancel(_ ticket: Ticket) {
        state.update { $0.cancelled.append(ticket) }
        answerCancel(of: ticket) { if case .exchange = $0 { true } else { false } }
    }

    package func interrupt(_ ticket: Ticket) {
        answerCancel(of: ticket) { if case .files = $0 { true } else { false } }
    }

    private func answerCancel(of ticket: Ticket, ofKind isMeant: (EngineWork) -> Bool) {
        let (sink, job) = state.update { state -> (Sink?, EngineJob?) in
            guard state.answersCancels, let job = state.running[ticket], isMeant(job.work) else { return (nil, nil) }
            state.running[ticket] = nil
            return (state.sink, job)
        }
        if let job { sink?(ticket, Self.cancelledEnding(of: job.work)) }
    }

    package func release(_ ticket: Ticket, _ decision: ReleaseDecision) {
        state.update { $0.releases.append(Release(ticket: ticket, decision: decision)) }
    }

    package func progress(of ticket: Ticket) -> ExchangeProgress? {
        let state = state.value
        guard state.running[ticket] != nil else { return nil }
        if let told = state.progress[ticket] { return told }
        return ExchangeProgress(sent: 0, received: 0)
    }

    package func setRateLimit(_ bytesPerSecond: Int64?, of ticket: Ticket) {
        state.update { $0.rateLimits.append(RateLimit(ticket: ticket, bytesPerSecond: bytesPerSecond)) }
    }

    package func setAllowance(_ bytes: Int64?, of ticket: Ticket) {
        state.update { $0.allowances.append(Allowance(ticket: ticket, bytes: bytes)) }
    }

    package func setConnections(_ most: Int, of ticket: Ticket) {
        state.update { $0.connections.append(Connections(ticket: ticket, most: most)) }
    }

    package func shutDown() {
        state.update { state in
            state.isShutDown = true
            state.running = [:]
        }
    }

    /// Makes this an engine whose exchanges outlive the process, with the given ones.
    package func setSurvivors(_ survivors: [SurvivingExchange]) {
        state.update { state in
            state.traits = EngineTraits(holdsLastBytes: false, outlivesProcess: true)
            state.survivors = survivors
        }
    }

    package var dropped: [ExchangeID] { state.value.dropped }
    package var settled: [Ticket] { state.value.settled }
    package var traits: EngineTraits { state.value.traits }

    package func recordSettled(_ ticket: Ticket) { state.update { $0.settled.append(ticket) } }

    package func survivors(_ reply: @escaping @Sendable ([SurvivingExchange]) -> Void) { reply(state.value.survivors) }

    /// Runs a job whose plan is not known here.
    package func adopt(_ exchange: ExchangeID, as ticket: Ticket) {
        start(EngineJob(ticket: ticket, work: .files(.discard([])), exchange: exchange))
    }

    package func drop(_ exchange: ExchangeID) { state.update { $0.dropped.append(exchange) } }

    private static func cancelledEnding(of work: EngineWork) -> EngineEvent {
        let failure = TransferFailure(.interrupted, "cancelled")
        return switch work {
        case .exchange: .exchangeEnded(ExchangeOutcome(ending: .cancelled, requestLeft: false))
        case .files(.inspectSources(let paths, _)): .sourcesInspected(paths.map { _ in .failure(failure) })
        case .files(.measurePartial): .partialMeasured(.failure(failure))
        case .files(.place): .placed(.failure(failure))
        case .files(.checkPieces): .piecesChecked(.failure(failure))
        case .files(.discard): .discarded(failure)
        }
    }
}
