/// Completions for a word of the command line.
enum Candidates: Equatable, Sendable {
    case nothing
    case files
    case directories
    case words([String])
    case commands
    /// Transfers in one of these states, with the words of `StateText`.
    case transfers([String])
    case sessions
    case groups
    case tasks
}

extension Option {
    /// Completions for its value, by its metavariable.
    var candidates: Candidates {
        switch (long, value) {
        case (_, nil): .nothing
        case (_, "FILE"): .files
        case (_, "DIR"): .directories
        case ("session", _): .sessions
        case ("after", _), ("after-any", _): .transfers(Predecessors.transfers)
        case ("group", "NAME"), ("to-group", _): .groups
        case ("state", _): .words(StateText.words)
        default: choices.isEmpty ? .nothing : .words(choices)
        }
    }
}

extension Command {
    /// Completions for the next operand.
    func candidates(after operands: [String]) -> Candidates {
        switch (name, operands.count) {
        case ("upload", _): .files
        case ("watch", _), ("doctor", _), ("pause", _), ("resume", _), ("cancel", _), ("anyway", _), ("set", _),
            ("retry", _),
            ("remove", _), ("show", 0), ("history", 0), ("replace-url", 0), ("trust", 0):
            .transfers(transfers)
        case ("session", 0): .sessions
        case ("service", 0): .words(["status", "start", "stop"])
        case ("tasks", 0): .words(["list", "run", "cancel"])
        case ("tasks", _): .tasks
        case ("credentials", 0): .words(["helper", "give"])
        case ("conditions", 0): .words(["set"])
        case ("conditions", 1): .words(SaidCondition.all.map(\.name))
        case ("conditions", 2): .words(SaidCondition.all.first { $0.name == operands[1] }?.values ?? [])
        default: .nothing
        }
    }
}
