import LonghaulCore

/// Connections of a loop to the outside.
struct LoopOutlets {
    /// Posts their answers to this loop.
    var post: @Sendable (LoopInput) -> Void = { _ in }
    /// Starts the app; `nil` in the app itself, which cannot be started.
    var startWake: ((WakeOrder) -> Void)?
    /// Shows notifications; `nil` if the process cannot.
    var startNotification: ((NotificationOrder) -> Void)?

    /// Performs an effect of the session's machine, after the commit.
    func perform(_ effect: SessionEffect, _ state: SessionState) {
        switch effect {
        case .ask(let question):
            state.credentials.ask(question) { [post] answer in post(.credentialAnswered(question.number, answer)) }
        case .tellRunner(let token, let assignments): state.audience.tell(token, assignments)
        case .tellNewestEvent(let number): state.audience.tellNewestEvent(number)
        case .show(let order): startNotification?(order)
        case .wake(let order): startWake?(order)
        case .forgetWitness(let name): state.directory.forgetWitness(name)
        case .write, .refuse, .control, .countNotified, .lookUp, .feed, .reviewTransfers, .tellHelper, .lookForLost,
            .submit:
            preconditionFailure("\(effect) is done inside the turn")
        }
    }
}

extension SessionEffect {
    /// Whether it is visible outside the process: a crash test may die before each of these.
    var leavesProcess: Bool {
        switch self {
        case .ask, .show, .wake: true
        case .tellRunner, .tellNewestEvent, .forgetWitness, .write, .refuse, .control, .countNotified, .lookUp, .feed,
            .reviewTransfers, .tellHelper, .lookForLost, .submit:
            false
        }
    }
}
