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
        case .query(let question):
            state.credentials.query(question) { [post] answer in post(.credentialAnswered(question.number, answer)) }
        case .notifyRunner(let token, let assignments): state.audience.sendAssignments(token, assignments)
        case .reportNewestEvent(let number): state.audience.reportNewestEvent(number)
        case .show(let order): startNotification?(order)
        case .wake(let order): startWake?(order)
        case .forgetWitness(let name): state.directory.forgetWitness(name)
        case .write, .refuse, .control, .countNotified, .lookUp, .feed, .reviewTransfers, .notifyHelper, .findLost,
            .submit:
            preconditionFailure("\(effect) is done inside the turn")
        }
    }
}

extension SessionEffect {
    /// Whether it is visible outside the process: a crash test may die before each of these.
    var leavesProcess: Bool {
        switch self {
        case .query, .show, .wake: true
        case .notifyRunner, .reportNewestEvent, .forgetWitness, .write, .refuse, .control, .countNotified, .lookUp,
            .feed,
            .reviewTransfers, .notifyHelper, .findLost, .submit:
            false
        }
    }
}
