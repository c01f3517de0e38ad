import Foundation
package import LonghaulCore
import LonghaulSystem
import Synchronization

/// Exchanges that the system runs for processes that have ended.
extension SystemEngine {
    package func survivors(_ reply: @escaping @Sendable ([SurvivingExchange]) -> Void) {
        notes.discardTokens(olderThan: SystemClock.wallTime() - Self.tokenLife)
        lanes.back.allTasks { [self] tasks in
            for task in tasks { meet(task) }
            for id in notes.ids { meet(id) }
            guard hasOpenNotes else { return reply(all) }
            // The end may be about to arrive: the system reports the stored events after it lists the running tasks.
            let answer: @Sendable (Bool) -> Void = { [self] isLate in
                guard isLate || !hasOpenNotes else { return }
                let isFirst = state.withLock { state in
                    defer { state.answer = nil }
                    return state.answer != nil
                }
                if isFirst { reply(all) }
            }
            state.withLock { $0.answer = { answer(false) } }
            DispatchQueue.global().asyncAfter(deadline: .now() + settling) { answer(true) }
        }
    }

    package func adopt(_ exchange: ExchangeID, as ticket: Ticket) {
        let (events, task) = state.withLock { state -> ([EngineEvent], URLSessionTask?) in
            state.tickets[ticket] = exchange
            state.exchanges[exchange]?.ticket = ticket
            let running = state.exchanges[exchange]
            return (running?.events ?? [], running?.task)
        }
        // The process may have died before it resumed the task. A loop that adopts an exchange only to cancel it does so now.
        if let task, task.state == .suspended { work.async { [self] in release(task, of: exchange) } }
        report(ticket, events)
    }

    package func drop(_ exchange: ExchangeID) {
        let dropped = state.withLock { state -> Running? in
            // An exchange that started under this name meanwhile is a different one.
            guard let found = state.exchanges[exchange], found.ticket == nil else { return nil }
            return state.exchanges.removeValue(forKey: exchange)
        }
        guard let dropped else { return }
        notes.remove(exchange)
        dropped.task?.cancel()
    }

    /// The time for which the system retries by default.
    private static let tokenLife = Duration.seconds(7 * 86_400)

    private func meet(_ task: URLSessionTask) {
        guard let id = task.taskDescription.flatMap(ExchangeID.init),
            let note = notes.read(of: id)
        else { return task.cancel() }
        state.withLock { state in
            if state.exchanges[id] == nil {
                let sight: BodyWitness.Visibility = task.state == .suspended ? .nothingLeft : .gaps
                state.exchanges[id] = Running(lane: .back, note: note, witness: BodyWitness(sight: sight))
            }
            if state.exchanges[id]?.events == nil { state.exchanges[id]?.task = task }
        }
    }

    /// Restores an exchange that ended before, or whose file has arrived.
    private func meet(_ id: ExchangeID) {
        guard state.withLock({ $0.exchanges[id] == nil }), let note = notes.read(of: id) else { return }
        state.withLock { $0.exchanges[id] = Running(lane: .back, note: note) }
        if let outcome = note.outcome {
            state.withLock { $0.exchanges[id]?.events = Self.events(of: outcome) }
        } else if note.head != nil {
            conclude(id, note, mayRestart: false)
        }
    }

    /// Whether some exchange was recorded but its state is unknown so far.
    private var hasOpenNotes: Bool {
        state.withLock { $0.exchanges.values.contains { !$0.isKnown } }
    }

    /// Drops lost exchanges that may be repeated: they restart as new ones, so their notes are not needed.
    private var all: [SurvivingExchange] {
        let exchanges = state.withLock { $0.exchanges }
        for (id, running) in exchanges where !running.isKnown && !running.note.isOnceOnly { drop(id) }
        return exchanges.compactMap { id, running in
            guard running.isKnown || running.note.isOnceOnly else { return nil }
            var exchange = SurvivingExchange(
                id: id, condition: running.isKnown ? .carried(isBodySent: running.hasSentBody) : .lost,
                bodyLength: running.note.bodyLength, resume: running.note.resume,
                hasSucceeded: running.hasSucceeded)
            exchange.partialPath = running.note.partialPath
            exchange.stopLeavesDoubt = stopLeavesDoubt(running)
            return exchange
        }
    }
}

extension SystemEngine.Running {
    /// Whether the system has it, or its end is known.
    fileprivate var isKnown: Bool { events != nil || task != nil }

    fileprivate var hasSucceeded: Bool {
        guard let outcome = note.outcome, outcome.ending == .responded else { return false }
        return outcome.head?.isSuccess ?? false
    }

    fileprivate var hasSentBody: Bool {
        guard !witness.wasOut, let task else { return witness.wasOut }
        return task.countOfBytesExpectedToSend >= 0 && task.countOfBytesSent >= task.countOfBytesExpectedToSend
    }
}
