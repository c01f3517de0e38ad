import Glibc
import LonghaulCore

/// The state that the threads of one server share: its routes, its log, and its connections.
final class ServerState: Sendable {
    struct State: Sendable {
        var routes: [String: Route]
        var visits: [String: Int] = [:]
        var requests: [ReceivedRequest] = []
        var sockets: Set<Int32> = []
        var gates: [Latch] = []
        var connections = 0
        /// Threads that have not ended, including the accepting one.
        var threads = 1
        var isStopping = false
    }

    let state: Monitor<State>
    /// How many bytes of each request body are stored.
    let keptBody: Int

    init(routes: [String: Route], keptBody: Int) {
        state = Monitor(State(routes: routes))
        self.keptBody = keptBody
    }

    /// Registers a connection and returns its number; `nil` if the server stops.
    func admit(_ socket: Int32) -> Int? {
        state.update { state in
            guard !state.isStopping else { return nil }
            state.sockets.insert(socket)
            state.threads += 1
            state.connections += 1
            return state.connections - 1
        }
    }

    /// Closes the connection's descriptor under the lock, so that `stop` never closes another file's.
    func dismiss(_ socket: Int32) {
        state.update { state in
            state.sockets.remove(socket)
            close(socket)
            state.threads -= 1
        }
    }

    /// Counts a thread that serves one exchange of a connection.
    func enter() { state.update { $0.threads += 1 } }

    func threadEnded() { state.update { $0.threads -= 1 } }

    func begin(_ head: RequestHead, connection: Int) -> ReceivedRequest {
        state.update { state in
            let request = ReceivedRequest(number: state.requests.count, connection: connection, head: head)
            state.requests.append(request)
            return request
        }
    }

    func updateRequest(_ number: Int, _ change: (inout ReceivedRequest) -> Void) {
        state.update { change(&$0.requests[number]) }
    }

    func reply(to request: ReceivedRequest) -> Reply {
        let found: (Route, Int)? = state.update { state in
            guard let path = Self.place(of: request.path, in: state.routes), let route = state.routes[path] else {
                return nil
            }
            defer { state.visits[path, default: 0] += 1 }
            return (route, state.visits[path, default: 0])
        }
        guard let (route, visit) = found else { return .status(404, body: "no such route\n") }
        return route.reply(request, visit)
    }

    /// Waits at a gate; stopping the server opens it.
    func pass(_ latch: Latch) {
        let isStopping = state.update { state in
            state.gates.append(latch)
            return state.isStopping
        }
        if !isStopping { latch.pass() }
    }

    /// Returns the path itself, or the longest route ending in `*` whose prefix it has.
    private static func place(of path: String, in routes: [String: Route]) -> String? {
        if routes[path] != nil { return path }
        return routes.keys.filter { $0.hasSuffix("*") && path.hasPrefix($0.dropLast()) }.max { $0.count < $1.count }
    }
}
