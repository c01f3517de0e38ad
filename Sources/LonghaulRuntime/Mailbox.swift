import LonghaulCore
import LonghaulSystem

/// A queue from any thread to the loop's thread, which waits on it until a wall-clock date.
final class Mailbox: Sendable {
    private struct State {
        var inputs: [LoopInput] = []
        var isClosed = false

        mutating func takeAll() -> [LoopInput] {
            let taken = inputs
            inputs = []
            return taken
        }
    }

    private let state = Monitor(State())

    /// Whether the loop will see them; a stopped one sees nothing any more.
    @discardableResult
    func put(_ new: [LoopInput]) -> Bool {
        state.change { state in
            guard !state.isClosed else { return false }
            state.inputs.append(contentsOf: new)
            return true
        }
    }

    /// Takes nothing more, and gives what nobody has seen.
    func close() -> [LoopInput] {
        state.change { state in
            state.isClosed = true
            return state.takeAll()
        }
    }

    /// What the engine has said before anything else arrived. `waits`: when nothing has arrived at all, it waits a moment.
    func takeEngineEvents(upTo limit: Int, waits: Bool) -> [LoopInput] {
        // About as long as a short exchange takes. A clock that is set meanwhile arrives as an input of its own.
        let moment = waits ? SystemClock.wallTime() + .milliseconds(1) : nil
        return state.wait(until: moment, while: { waits && $0.inputs.isEmpty }) { state in
            let others = state.inputs.firstIndex { if case .engine = $0 { false } else { true } }
            let count = min(limit, others ?? state.inputs.count)
            // Nearly always these are all there are; the others would be copied.
            if count == state.inputs.count { return state.takeAll() }
            let taken = Array(state.inputs[..<count])
            state.inputs.removeFirst(count)
            return taken
        }
    }

    /// Everything that has arrived; waits for something until `date`, which follows the wall clock when that is set.
    func take(until date: WallTime?) -> [LoopInput] {
        state.wait(until: date, while: { $0.inputs.isEmpty }) { $0.takeAll() }
    }
}
