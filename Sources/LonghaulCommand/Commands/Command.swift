import LonghaulCore

/// A command: its text in the help, and its code.
struct Command: Sendable {
    let name: String
    /// The operands in the usage line.
    let operands: String
    /// One line for the list of commands.
    let summary: String
    let groups: [OptionGroup]
    /// The options on the command's own page; `help COMMAND all` has the others. Empty if the page has room for all.
    let common: [Option]
    /// Other spellings that the command accepts. They are not in the help.
    let synonyms: [Option]
    /// The states of the transfers that the command applies to. They decide between transfers of one name, and shells offer them.
    let transfers: [String]
    let examples: [Example]
    /// Paragraphs after the options.
    let notes: [String]
    let run: @Sendable (Arguments, World) async throws(TransferFailure) -> ExitStatus

    /// A command line that can be typed, and its purpose.
    struct Example: Sendable {
        let line: String
        let purpose: String

        init(_ line: String, _ purpose: String) {
            self.line = line
            self.purpose = purpose
        }
    }

    init(
        _ name: String, _ operands: String, _ summary: String, groups: [OptionGroup], common: [Option] = [],
        synonyms: [Option] = [], transfers: [String] = StateText.liveWords, examples: [Example] = [],
        notes: [String] = [],
        run: @escaping @Sendable (Arguments, World) async throws(TransferFailure) -> ExitStatus
    ) {
        self.name = name
        self.operands = operands
        self.summary = summary
        self.groups = groups
        self.common = common
        self.synonyms = synonyms
        self.transfers = transfers
        self.examples = examples
        self.notes = notes
        self.run = run
    }

    /// - Parameter reference: Paragraphs and examples for ``OptionGroup``, which the help does not show.
    init(
        _ name: String, _ operands: String, _ summary: String, options: [Option],
        transfers: [String] = StateText.liveWords, examples: [Example] = [], notes: [String] = [],
        reference: (notes: [String], examples: [Example]) = ([], []),
        run: @escaping @Sendable (Arguments, World) async throws(TransferFailure) -> ExitStatus
    ) {
        let group = OptionGroup("Options", options, notes: reference.notes, examples: reference.examples)
        self.init(
            name, operands, summary, groups: [group], transfers: transfers, examples: examples, notes: notes, run: run)
    }

    /// The options in the help, in its order.
    var listed: [Option] { groups.flatMap(\.options) }

    /// All options that the command accepts.
    var options: [Option] { listed + synonyms }

    /// The command line in the usage line. A download needs no command name.
    var usage: String { name == "download" ? "longhaul [download] \(operands)" : "longhaul \(name) \(operands)" }

    /// Commands for one task, with their heading in the help.
    static let groups: [(title: String, commands: [Command])] = [
        ("Transfer files", [download, upload, request]),
        ("View transfers", [list, show, watch, top, history, doctor]),
        (
            "Control transfers",
            [
                ControlCommands.pause, ControlCommands.resume, ControlCommands.cancel, ControlCommands.retry,
                ControlCommands.remove,
            ]
        ),
        ("Change transfers", [TransferChange.command, replaceURL, TrustCommand.command, anyway]),
        (
            "Configure Longhaul",
            [
                LimitsCommand.command, RulesCommand.command, conditions, CredentialsCommand.command, session,
                TasksCommand.command, ServiceCommand.command, setup,
            ]
        ),
    ]

    static let all: [Command] = groups.flatMap(\.commands)

    /// Names of commands in other programs, which Longhaul accepts.
    static let otherNames = [
        ("get", "download"), ("put", "upload"), ("ls", "list"), ("ps", "list"), ("rm", "remove"),
    ]

    /// Returns the command with this name, or with this name in another program.
    static func named(_ word: String) -> Command? {
        let name = otherNames.first { $0.0 == word }?.1 ?? word
        return all.first { $0.name == name }
    }
}

extension Command {
    /// Whether the command resolves relative paths.
    var takesPaths: Bool {
        [Command.download, .upload, .request, TransferChange.command].contains { $0.name == name }
    }

    /// Whether the command only reads the queue, so that damage of the queue affects its output.
    var onlyLooks: Bool {
        [Command.list, .show, .history, .doctor].contains { $0.name == name }
    }
}

extension Arguments {
    func refuseOperands(of command: String) throws(TransferFailure) {
        if let first = operands.first { throw .misuse("\(command) does not take \"\(first)\".") }
    }
}
