import LonghaulCore

@testable import LonghaulRuntime

/// The app of a crash scenario with a background task: a separate process, which is started by the service, outlives
/// it, and runs the handler.
///
/// `@unchecked Sendable`: everything happens on the one thread of the test; only the closures require the conformance.
final class SimulatedApp: @unchecked Sendable {
    static let task = "org.example.noon"

    /// How often the handler was started for each run.
    private(set) var begun: [TaskClaim: Int] = [:]
    private(set) var isSubmitted = false
    private var isHere = false
    private var running: [TaskClaim] = []
    private var token: WatchToken?
    private var lastToken: UInt64 = 0

    /// Whether it has no more messages to send.
    var isIdle: Bool { isSubmitted && running.isEmpty }

    /// The service starts the app.
    func start() { isHere = true }

    /// The service has ended, which closes its connection; a power failure ends the app too.
    func loseService(andPower: Bool) {
        token = nil
        if andPower { (isHere, running) = (false, []) }
    }

    /// Returns the messages of the app, and of the client that submits the task, in one turn.
    func inputs() -> [LoopInput] {
        var inputs: [LoopInput] = []
        if !isSubmitted {
            inputs.append(
                .command(.submitTask(.processing(Self.task))) { [self] reply in
                    if case .taskDone = reply { isSubmitted = true }
                })
        }
        guard isHere else { return inputs }
        if token == nil { inputs += connect() }
        for claim in running {
            inputs.append(
                .command(.taskReturned(TaskReturn(claim: claim, outcome: .succeeded))) { [self] reply in
                    if case .taskDone = reply { running.removeAll { $0 == claim } }
                })
        }
        return inputs
    }

    private func connect() -> [LoopInput] {
        lastToken += 1
        let token = WatchToken(number: lastToken)
        self.token = token
        let runner = TaskRunner(identifiers: [Self.task], claims: running)
        return [
            .attach(token) { _ in },
            .addRunner(token, runner) { [self] in receive($0) },
        ]
    }

    private func receive(_ assignments: TaskAssignments) {
        for claim in assignments.runs.map(\.claim) where !running.contains(claim) {
            begun[claim, default: 0] += 1
            running.append(claim)
        }
    }
}
