import LonghaulCore
import LonghaulSystem

/// A queue from any thread to the loop's thread, which waits on it until a wall-clock time.
final class Mailbox: Sendable {
    private struct State {
        var inputs: [LoopInput] = []
        var isClosed = false

        mutating func takeAll() -> [LoopInput] {
            let taken = inputs
            inputs = []
            return taken
        }

        mutating func takeTurn(queries limit: Int) -> [LoopInput] {
            guard inputs.count > limit, !inputs.contains(where: \.isStop) else { return takeAll() }
            var queries = 0
            let end = inputs.firstIndex { input in
                if input.isQuery { queries += 1 }
                return queries > limit
            }
            guard let end else { return takeAll() }
            let taken = Array(inputs[..<end])
            inputs.removeFirst(end)
            return taken
        }
    }

    private let state = Monitor(State())

    /// Returns whether the loop will receive them; a stopped loop receives nothing.
    @discardableResult
    func put(_ new: [LoopInput]) -> Bool {
        state.change { state in
            guard !state.isClosed else { return false }
            state.inputs.append(contentsOf: new)
            return true
        }
    }

    /// Closes the mailbox and returns the inputs not received yet.
    func close() -> [LoopInput] {
        state.change { state in
            state.isClosed = true
            return state.takeAll()
        }
    }

    /// Returns the engine events that arrived before any other input. If `waits` is set and nothing has arrived, it waits briefly.
    func takeEngineEvents(upTo limit: Int, waits: Bool) -> [LoopInput] {
        // About as long as a short exchange takes. If the clock is set meanwhile, that arrives as its own input.
        let moment = waits ? SystemClock.wallTime() + .milliseconds(1) : nil
        return state.wait(until: moment, while: { waits && $0.inputs.isEmpty }) { state in
            let others = state.inputs.firstIndex { if case .engine = $0 { false } else { true } }
            let count = min(limit, others ?? state.inputs.count)
            // The usual case, without a copy.
            if count == state.inputs.count { return state.takeAll() }
            let taken = Array(state.inputs[..<count])
            state.inputs.removeFirst(count)
            return taken
        }
    }

    /// Returns what has arrived; waits for an input until `date`, which follows changes of the wall clock. A stop does not wait for
    /// the answers to many queries: the queries beyond a turn's number, and the inputs after them, are returned by the next call.
    func receive(until date: WallTime?) -> [LoopInput] {
        state.wait(until: date, while: { $0.inputs.isEmpty }) { $0.takeTurn(queries: Self.queriesInTurn) }
    }

    private static let queriesInTurn = 32
}
