import LonghaulCore
import LonghaulIPC
import LonghaulSystem
import Synchronization

/// Shows notifications, on a separate thread that begins with the first order: a slow bus delays no session and no client.
final class Notifier: Sendable {
    typealias Sink = @Sendable (NotificationEvent) -> Void

    /// An order for the thread.
    struct Order: Sendable {
        var place: Place
        var act: NotificationOrder.Act
        var sink: Sink
    }

    /// Identifies a notification among those of all sessions.
    struct Place: Hashable, Sendable {
        var session: SessionID
        var key: NotificationKey
    }

    private struct State {
        var orders: [Order] = []
        var isRunning = false
    }

    private let state = Mutex(State())
    private let signal: WakeSignal

    init() throws(TransferFailure) {
        signal = try .required()
    }

    func post(_ session: SessionID, _ order: NotificationOrder, then sink: @escaping Sink) {
        let isFirst = state.withLock { state in
            state.orders.append(Order(place: Place(session: session, key: order.key), act: order.act, sink: sink))
            defer { state.isRunning = true }
            return !state.isRunning
        }
        signal.raise()
        guard isFirst else { return }
        // It ends with the process.
        NativeThread { [self] in run() }.detach()
    }

    private func run() {
        let desk = NotificationPresenter()
        while true {
            signal.clear()
            let orders = state.withLock { state in
                defer { state.orders = [] }
                return state.orders
            }
            for order in orders { desk.perform(order) }
            desk.work()
            wait(desk.descriptor, desk.readiness, milliseconds: desk.millisecondsToNextTry)
        }
    }

    private func wait(_ bus: Int32?, _ readiness: Readiness, milliseconds: Int32) {
        // An interrupted wait just ends early.
        PollSet.wait([(signal.descriptor.number, .readable), (bus ?? -1, readiness)], milliseconds: milliseconds)
    }
}
