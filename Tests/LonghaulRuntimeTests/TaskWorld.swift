import LonghaulCore
import TestSupport
import Testing

@testable import LonghaulRuntime

/// A session with background tasks, and an app that the test simulates.
final class TaskWorld {
    static let noon = "org.example.noon"

    let temporary: TemporaryDirectory
    let time = ManualTime()
    let wakes = Kept<WakeOrder>()
    private var around = Surroundings()
    /// The current service.
    var loop: LoopWorld {
        guard let current else { preconditionFailure("no service runs") }
        return current
    }
    private var current: LoopWorld?
    private var lastToken: UInt64 = 100

    init(_ settings: BackgroundTaskSettings = BackgroundTaskSettings()) throws {
        temporary = try TemporaryDirectory()
        try reopen()
        send(.setWake(WakeRegistration(.systemdUnit("storms.service"))))
        send(.setTaskSettings(settings))
    }

    /// The service ends, in any way, and restarts; after a reboot if `boot` differs.
    func reopen(
        boot: String = "boot", survives: (@Sendable (LoopPoint) -> Bool)? = nil
    ) throws {
        // Releases its lock too.
        current = nil
        current = try LoopWorld(
            in: temporary, at: time, survives: survives, wake: { [wakes] in wakes.keep($0) },
            surroundings: around, change: { $0.bootID = boot })
        loop.turn()
    }

    @discardableResult
    func send(_ command: SessionCommand) -> SessionReply? { loop.send(command) }

    func submit(_ request: BackgroundTaskRequest) { send(.submitTask(request)) }

    func page() throws -> TaskPage {
        guard case .tasks(let page)? = send(.tasks(after: nil)) else {
            throw TransferFailure(.internalFault, "no page")
        }
        return page
    }

    func task(_ name: String = noon) throws -> BackgroundTaskStatus {
        try #require(try page().tasks.first { $0.identifier == name })
    }

    func pass(_ span: Duration) { loop.pass(span) }

    /// Sets the clock.
    func setClock(by span: Duration) {
        time.advance(by: span)
        loop.turn([.clockChanged])
    }

    /// Sets the network state.
    func setNetwork(_ network: Conditions.Network) {
        around.conditions.network = network
        loop.turn([.surroundings(around)])
    }

    /// Returns a process of the app with handlers.
    func app(_ names: [String] = [noon], claims: [TaskClaim] = []) -> App {
        lastToken += 1
        let app = App(token: WatchToken(number: lastToken))
        let runner = TaskRunner(identifiers: names, claims: claims)
        loop.turn([.addRunner(app.token, runner, observer: { app.orders.keep($0) })])
        return app
    }

    func detach(_ app: App) { loop.turn([.unwatch(app.token)]) }

    func finish(_ run: BackgroundTaskRun, _ outcome: BackgroundTaskResult.Outcome = .succeeded) {
        send(.taskReturned(TaskReturn(claim: run.claim, outcome: outcome)))
    }

    final class App: Sendable {
        let token: WatchToken
        let orders = Kept<TaskAssignments>()

        init(token: WatchToken) {
            self.token = token
        }

        /// The runs in its latest message.
        var runs: [BackgroundTaskRun] { orders.all.last?.runs ?? [] }
    }
}

extension BackgroundTaskRun {
    var claim: TaskClaim { TaskClaim(identifier: request.identifier, number: number) }
}
