import Foundation
package import LonghaulCore
import Synchronization

/// What the system carries for processes that are gone.
extension SystemEngine {
    package func survivors(_ reply: @escaping @Sendable ([SurvivingExchange]) -> Void) {
        lanes.back.allTasks { [self] tasks in
            for task in tasks { meet(task) }
            for id in notes.ids { meet(id) }
            guard hasOpenNotes else { return reply(all) }
            // Its end may be on its way: the system tells what it has kept after it has told what it carries.
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
        // The process may have died between making it and letting it go.
        if task?.state == .suspended { task?.resume() }
        tell(ticket, events)
    }

    package func drop(_ exchange: ExchangeID) {
        let task = state.withLock { $0.exchanges.removeValue(forKey: exchange)?.task }
        notes.remove(exchange)
        task?.cancel()
    }

    private func meet(_ task: URLSessionTask) {
        guard let id = task.taskDescription.flatMap(ExchangeID.init),
            let note = notes.note(of: id)
        else { return task.cancel() }
        state.withLock { state in
            if state.exchanges[id] == nil { state.exchanges[id] = Running(lane: .back, note: note) }
            if state.exchanges[id]?.events == nil { state.exchanges[id]?.task = task }
        }
    }

    /// One that ended before, or whose file is here.
    private func meet(_ id: ExchangeID) {
        guard state.withLock({ $0.exchanges[id] == nil }), let note = notes.note(of: id) else { return }
        state.withLock { $0.exchanges[id] = Running(lane: .back, note: note) }
        if let outcome = note.outcome {
            state.withLock { $0.exchanges[id]?.events = Self.events(of: outcome) }
        } else if note.head != nil {
            conclude(id, note, mayRestart: false)
        }
    }

    /// Whether there is an exchange that was noted and of which nothing else is known yet.
    private var hasOpenNotes: Bool {
        state.withLock { $0.exchanges.values.contains { !$0.isKnown } }
    }

    /// What may be repeated and was lost begins again, as if it had never been begun: its note is not needed.
    private var all: [SurvivingExchange] {
        let exchanges = state.withLock { $0.exchanges }
        for (id, running) in exchanges where !running.isKnown && !running.note.isOnceOnly { drop(id) }
        return exchanges.compactMap { id, running in
            guard running.isKnown || running.note.isOnceOnly else { return nil }
            return SurvivingExchange(
                id: id, condition: running.isKnown ? .carried(isBodySent: running.hasSentBody) : .lost,
                bodyLength: running.note.bodyLength, resume: running.note.resume)
        }
    }
}

extension SystemEngine.Running {
    /// Whether the system has it, or its end is known.
    fileprivate var isKnown: Bool { events != nil || task != nil }

    fileprivate var hasSentBody: Bool {
        guard !isBodySent, let task else { return isBodySent }
        return task.countOfBytesExpectedToSend >= 0 && task.countOfBytesSent >= task.countOfBytesExpectedToSend
    }
}
