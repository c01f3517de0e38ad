import LonghaulCore
import Synchronization

/// The placements that are queued or in progress, and those that are no longer wanted.
final class PlacingTickets: Sendable {
    private struct State {
        var isWanted: [Ticket: Bool] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    func begin(_ ticket: Ticket) {
        state.withLock { $0.isWanted[ticket] = true }
    }

    func end(_ ticket: Ticket) {
        state.withLock { $0.isWanted[ticket] = nil }
    }

    func cancel(_ ticket: Ticket) {
        state.withLock { state in
            if state.isWanted[ticket] != nil { state.isWanted[ticket] = false }
        }
    }

    func cancelAll() {
        state.withLock { $0.isClosed = true }
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    func isWanted(_ ticket: Ticket) -> Bool {
        state.withLock { !$0.isClosed && $0.isWanted[ticket] == true }
    }
}
