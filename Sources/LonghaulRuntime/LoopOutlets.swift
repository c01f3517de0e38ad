import LonghaulCore

/// Whom a loop asks for what it cannot do itself.
struct LoopOutlets {
    /// Brings what others answer to this loop.
    var post: @Sendable (LoopInput) -> Void = { _ in }
    /// Starts the app; `nil` where nobody can, in the app itself.
    var startWake: ((WakeOrder) -> Void)?
    /// Shows notifications; `nil` where nobody can.
    var startNotification: ((NotificationOrder) -> Void)?

    /// Performs what the session's machine wants done, after the commit.
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
    /// Whether somebody beyond the process hears of it: a crash test may die before each of these.
    var leavesProcess: Bool {
        switch self {
        case .ask, .show, .wake: true
        case .tellRunner, .tellNewestEvent, .forgetWitness, .write, .refuse, .control, .countNotified, .lookUp, .feed,
            .reviewTransfers, .tellHelper, .lookForLost, .submit:
            false
        }
    }
}
