/// What may stand at a place of the command line, for shells that complete it.
enum Candidates: Equatable, Sendable {
    case nothing
    case files
    case directories
    case words([String])
    case commands
    /// Transfers in one of these states, as `StateText` calls them.
    case transfers([String])
    case sessions
    case groups
    case tasks
}

extension Option {
    /// What its value may be, as its place in the help says.
    var candidates: Candidates {
        switch (long, value) {
        case (_, nil): .nothing
        case (_, "FILE"): .files
        case (_, "DIR"): .directories
        case ("session", _): .sessions
        case ("after", _), ("after-any", _): .transfers(Predecessors.transfers)
        case ("group", "NAME"), ("to-group", _): .groups
        case ("state", _): .words(StateText.words)
        case (_, let value?):
            // Words are written small, and what stands for a value is written large.
            value.contains("|") && value == value.lowercased()
                ? .words(value.split(separator: "|").map(String.init)) : .nothing
        }
    }
}

extension Command {
    /// What the next operand may be.
    func candidates(after operands: [String]) -> Candidates {
        switch (name, operands.count) {
        case ("upload", _): .files
        case ("watch", _), ("doctor", _), ("pause", _), ("resume", _), ("cancel", _), ("anyway", _), ("set", _),
            ("retry", _),
            ("remove", _), ("show", 0), ("history", 0), ("replace-url", 0), ("trust", 0), ("set-priority", 0):
            .transfers(transfers)
        case ("set-rate", 0): .words(["none"])
        case ("set-rate", _): .transfers(transfers)
        case ("set-priority", _): .words(["first", "last"])
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
