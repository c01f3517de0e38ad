import LonghaulCore
import Synchronization

/// An engine whose exchanges are simulated by a test's servers.
final class PlayedEngine: ExchangeEngine {
    typealias Sink = @Sendable ([(Ticket, EngineEvent)]) -> Void

    private enum Stage {
        /// The last bytes of the body are held back until the loop has recorded that they leave.
        case holdsBody([UInt8])
        /// A whole new body waits until the loop has recorded that the present bytes are invalid.
        case waitsForRestart(PlayedResponse)
        /// The server stalls.
        case held(PlayedResponse)
    }

    private struct State {
        var stages: [Ticket: (plan: ExchangePlan, stage: Stage)] = [:]
        var progress: [Ticket: ExchangeProgress] = [:]
        var isShutDown = false
    }

    private let server: TestServer
    private let sink: Sink
    private let now: @Sendable () -> WallTime
    private let state = Mutex(State())
    private let board: EngineMonitor

    init(
        _ server: TestServer, board: EngineMonitor, now: @escaping @Sendable () -> WallTime, sink: @escaping Sink
    ) {
        self.server = server
        self.board = board
        self.now = now
        self.sink = sink
        board.add(self)
    }

    func start(_ plan: ExchangePlan, as ticket: Ticket, named name: ExchangeID?) {
        do throws(TransferFailure) {
            let body = try PlayedBody.bytes(of: plan.body)
            if plan.body?.holdsLastBytes ?? false {
                wait(ticket, plan, .holdsBody(body))
                emit(ticket, .lastBytesHeld)
            } else {
                send(ticket, plan, body)
            }
        } catch {
            emit(ticket, .exchangeEnded(ExchangeOutcome(ending: .broke(error), requestLeft: false)))
        }
    }

    func release(_ ticket: Ticket, _ decision: ReleaseDecision) {
        guard let (plan, stage) = state.withLock({ $0.stages[ticket] }) else { return }
        switch (stage, decision) {
        case (.holdsBody(let body), .sendRest):
            state.withLock { $0.stages[ticket] = nil }
            send(ticket, plan, body)
        case (.waitsForRestart(let response), .writeFromStart):
            state.withLock { $0.stages[ticket] = nil }
            perform(response.begun(anew: true), ticket, plan)
        case (.waitsForRestart(let response), .writeBeside(let path)):
            state.withLock { $0.stages[ticket] = nil }
            var plan = plan
            plan.sink.write(to: path)
            perform(response.begun(anew: true), ticket, plan)
        case (.holdsBody, _), (.waitsForRestart, _), (.held, _): break
        }
    }

    func cancel(_ ticket: Ticket) {
        guard let stage = state.withLock({ $0.stages.removeValue(forKey: ticket)?.stage }) else { return }
        var outcome = ExchangeOutcome(ending: .cancelled)
        switch stage {
        case .holdsBody: outcome.requestLeft = false
        case .waitsForRestart: break
        case .held(let response): outcome = response.outcome(ending: .cancelled)
        }
        emit(ticket, .exchangeEnded(outcome))
    }

    /// Interrupts all running exchanges, because the network is gone.
    func breakAll() {
        let waiting = state.withLock { state in
            defer { state.stages = [:] }
            return state.stages
        }
        let failure = TransferFailure(.offline, "There is no network in the test's world.")
        for (ticket, (_, stage)) in waiting {
            var outcome = ExchangeOutcome(ending: .broke(failure))
            switch stage {
            case .holdsBody: outcome.requestLeft = false
            case .waitsForRestart: break
            case .held(let response): outcome = response.outcome(ending: .broke(failure))
            }
            emit(ticket, .exchangeEnded(outcome))
        }
    }

    func progress(of ticket: Ticket) -> ExchangeProgress? { state.withLock { $0.progress[ticket] } }
    func setRateLimit(_ bytesPerSecond: Int64?, of ticket: Ticket) {}
    func setAllowance(_ bytes: Int64?, of ticket: Ticket) {}

    func shutDown() {
        state.withLock { $0 = State(isShutDown: true) }
        board.remove(self)
    }

    private func wait(_ ticket: Ticket, _ plan: ExchangePlan, _ stage: Stage) {
        state.withLock { state in
            if !state.isShutDown { state.stages[ticket] = (plan, stage) }
        }
    }

    private func send(_ ticket: Ticket, _ plan: ExchangePlan, _ body: [UInt8]) {
        if board.isOffline {
            let failure = TransferFailure(.offline, "There is no network in the test's world.")
            return emit(ticket, .exchangeEnded(ExchangeOutcome(ending: .broke(failure), requestLeft: false)))
        }
        let request = TestRequest(method: plan.method, url: plan.url, headers: plan.headers, body: body, date: now())
        guard let answer = server.respond(request) else {
            let failure = TransferFailure(
                .internalFault, "The test has no answer for \(plan.method) \(plan.url): give one to its server.")
            return emit(ticket, .exchangeEnded(ExchangeOutcome(ending: .broke(failure))))
        }
        perform(PlayedResponse(answer, to: request), ticket, plan)
    }

    /// Delivers a response as far as it arrives.
    private func perform(_ response: PlayedResponse, _ ticket: Ticket, _ plan: ExchangePlan) {
        recordProgress(ticket, response)
        if response.isHeldBack {
            if plan.body != nil { emit(ticket, .bodySent) }
            return hold(response, ticket, plan)
        }
        switch response.meet(plan.sink) {
        case .restarts(let head):
            wait(ticket, plan, .waitsForRestart(response))
            emit(ticket, .head(head))
        case .ended(let outcome):
            if case .written = outcome.disposition { deliver(response, ticket) }
            emit(ticket, .exchangeEnded(outcome))
        case .stands(let further):
            if case .partial = plan.sink { deliver(response, ticket) }
            recordProgress(ticket, further)
            hold(further, ticket, plan)
        }
    }

    /// Reports that a download's body has started to arrive.
    private func deliver(_ response: PlayedResponse, _ ticket: Ticket) {
        if !response.isTold, let head = response.head { emit(ticket, .receiving(head)) }
    }

    private func hold(_ response: PlayedResponse, _ ticket: Ticket, _ plan: ExchangePlan) {
        wait(ticket, plan, .held(response))
        server.hold { [weak self] in
            guard let self, state.withLock({ $0.stages.removeValue(forKey: ticket) }) != nil else { return }
            perform(response.released(), ticket, plan)
        }
    }

    private func recordProgress(_ ticket: Ticket, _ response: PlayedResponse) {
        state.withLock {
            $0.progress[ticket] = ExchangeProgress(
                sent: Int64(response.request.body.count), received: response.received)
        }
    }

    private func emit(_ ticket: Ticket, _ event: EngineEvent) {
        let isHeard = state.withLock { state in
            if event.isEnding { state.progress[ticket] = nil }
            return !state.isShutDown
        }
        guard isHeard else { return }
        board.recordEvent()
        sink([(ticket, event)])
    }
}
