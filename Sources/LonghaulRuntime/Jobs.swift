import LonghaulCore
import LonghaulSystem

/// Running jobs of the engine, by ticket: they begin after a commit, and their events are fed to their transfers.
struct Jobs {
    /// The purpose of an engine job.
    private enum Job {
        case step(TransferID)
        case cleanup(TransferID, CleanupTask)

        var transfer: TransferID {
            switch self {
            case .step(let id), .cleanup(let id, _): id
            }
        }
    }

    /// Time before a cleanup request that a server did not accept is repeated.
    private static let cleanupInterval = Duration.seconds(300)

    let state: SessionState
    private var jobs: [Ticket: Job] = [:]
    private var nextTicket: UInt64 = 1

    init(_ state: SessionState) {
        self.state = state
    }

    var tickets: some Collection<Ticket> { jobs.keys }

    /// Performs one action, after the commit.
    mutating func perform(_ action: TransferAction, for id: TransferID) {
        let note = TrapNote(id, .handling)
        defer { note.end() }
        let credentials = NamedCredentials(state: state)
        switch action {
        case .start(let wanted):
            guard let work = credentials.supplied(state.turns.informed(wanted, of: id), for: id) else { return }
            let ticket = begin(.step(id))
            let name = state.turns.beginStep(ticket, work, of: id, at: state.now)
            let flowing = FlowControl(state: state).begin(ticket, of: id, work)
            state.engine?.start(EngineJob(ticket: ticket, work: flowing, exchange: name))
        case .adopt(let exchange):
            let ticket = begin(.step(id))
            state.turns.live[id]?.beginStep(ticket, at: state.now)
            state.engine?.exchanges.adopt(exchange, as: ticket)
        case .stop:
            if let ticket = state.turns.live[id]?.ticket { state.engine?.cancel(ticket) }
        case .release(let decision):
            if let ticket = state.turns.live[id]?.ticket { state.engine?.exchanges.release(ticket, decision) }
        case .clean(let task):
            guard let transfer = try? state.transfer(id), let work = transfer.machine.work(for: task) else { return }
            let ticket = begin(.cleanup(id, task))
            state.engine?.start(EngineJob(ticket: ticket, work: credentials.suppliedIfHeld(work)))
        }
    }

    /// Handles an event of the engine. Events of deleted transfers and of former engines are ignored.
    func process(_ event: EngineEvent, of ticket: Ticket) throws(TransferFailure) {
        guard let job = jobs[ticket] else { return }
        if event.isEnding { state.batch.endedJobs.append((ticket, event.bytesMoved)) }
        let note = TrapNote(job.transfer, .handling)
        defer { note.end() }
        switch job {
        case .step(let id): try process(event, of: ticket, for: id)
        case .cleanup(let id, let task):
            guard event.isEnding else { return }
            let isDone = event.hasCleaned
            try state.feed(id, .cleaned(task, isDone: isDone))
            guard !isDone else { return }
            state.turns.alarms.set(id, at: state.now + Self.cleanupInterval)
            state.turns.tidying[id] = nil
        }
    }

    /// The result of a job is on disk.
    mutating func end(_ ticket: Ticket, moved: Int64?) {
        jobs[ticket] = nil
        state.engine?.exchanges.recordSettled(ticket)
        FlowControl(state: state).end(ticket, moved: moved)
    }

    /// Avoids reusing tickets: the former engine may still send events for its jobs.
    mutating func continueTickets(of old: Jobs) { nextTicket = old.nextTicket }

    private func process(_ event: EngineEvent, of ticket: Ticket, for id: TransferID) throws(TransferFailure) {
        if event == .allowanceUsed { return try FlowControl(state: state).extendAllowance(ticket, of: id) }
        if state.turns.recordResponse(event, of: id) { return }
        if case .connectionsWanted(let count) = event { return state.flows.traffic.setWanted(count, of: ticket) }
        let transfer = state.turns.live[id]
        if case .heads(let text) = event, let record = transfer?.record {
            return state.behind.addHistoryLine("heads", text, of: record, at: state.now)
        }
        try state.feed(id, .engine(event), to: transfer)
        if event.hasLostOwner { try SystemLoss(state: state).applyPolicy() }
        if let transfer, transfer.record.spec.options.credentialName != nil {
            try NamedCredentials(state: state).applyResponse(event, of: id, transfer.credentialUse)
        }
    }

    private mutating func begin(_ job: Job) -> Ticket {
        let ticket = Ticket(nextTicket)
        nextTicket += 1
        jobs[ticket] = job
        return ticket
    }
}

extension EngineEvent {
    /// Whether the system ended the exchange together with the app, such as after a force-quit.
    fileprivate var hasLostOwner: Bool {
        if case .exchangeEnded(let outcome) = self { outcome.lossReason != nil } else { false }
    }

    /// Bytes that an ended exchange moved.
    fileprivate var bytesMoved: Int64? {
        if case .exchangeEnded(let outcome) = self { outcome.bytesSent + outcome.bytesReceived } else { nil }
    }
}
