import LonghaulCore

/// One command: its description for the help, and what it does.
struct Command: Sendable {
    let name: String
    /// How its operands are written.
    let operands: String
    /// One line for the list of commands.
    let summary: String
    let options: [Option]
    /// The states of the transfers that it has something to do with: of several with one name these are meant, and shells offer them.
    let transfers: [String]
    /// Paragraphs after the options.
    let notes: [String]
    let run: @Sendable (Arguments, World) async throws(TransferFailure) -> ExitStatus

    init(
        _ name: String, _ operands: String, _ summary: String, options: [Option],
        transfers: [String] = StateText.liveWords, notes: [String] = [],
        run: @escaping @Sendable (Arguments, World) async throws(TransferFailure) -> ExitStatus
    ) {
        self.name = name
        self.operands = operands
        self.summary = summary
        self.options = options
        self.transfers = transfers
        self.notes = notes
        self.run = run
    }

    static let all: [Command] = [
        download, upload, request, list, show, watch, top, history, ControlCommands.pause, ControlCommands.resume,
        ControlCommands.cancel, ControlCommands.retry, ControlCommands.remove, replaceURL, TrustCommand.command,
        TransferChange.command, setRate, setPriority, anyway, limits, rules, conditions, CredentialsCommand.command,
        session, TasksCommand.command, ServiceCommand.command, setup, doctor,
    ]

    /// The command of this name, also where other programs have another name for it.
    static func named(_ word: String) -> Command? {
        let name =
            switch word {
            case "get": "download"
            case "put": "upload"
            case "ls", "ps": "list"
            case "rm": "remove"
            default: word
            }
        return all.first { $0.name == name }
    }
}

extension Command {
    /// Whether it asks what is in a queue and changes nothing: damage of the queue concerns the answer.
    var onlyLooks: Bool {
        [Command.list, .show, .history, .doctor].contains { $0.name == name }
    }
}

extension Arguments {
    func refuseOperands(of command: String) throws(TransferFailure) {
        if let first = operands.first { throw .usage("\(command) takes no \"\(first)\"") }
    }
}
