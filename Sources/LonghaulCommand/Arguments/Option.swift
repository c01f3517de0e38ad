/// One option of a command, with its text in the help.
package struct Option: Hashable, Sendable {
    /// The long name without its dashes. It identifies the option, whatever its help text is.
    let long: String
    /// The letter after a single dash.
    let short: Character?
    /// The metavariable of the value in the help; `nil` for an option without a value.
    let value: String?
    /// The value of the option alone, for an option whose value is one of the words in `value`.
    let bare: String?
    /// Whether a second value is an error instead of replacing the first one.
    let isGivenOnce: Bool
    let help: String

    init(
        _ long: String, _ short: Character? = nil, value: String? = nil, bare: String? = nil, isGivenOnce: Bool = false,
        _ help: String
    ) {
        self.long = long
        self.short = short
        self.value = value
        self.bare = bare
        self.isGivenOnce = isGivenOnce
        self.help = help
    }

    /// The values to choose from, if the metavariable lists them: it is in capitals otherwise.
    var choices: [String] {
        guard let value, value.contains("|"), value == value.lowercased() else { return [] }
        return value.split(separator: "|").map(String.init)
    }

    package static func == (left: Option, right: Option) -> Bool { left.long == right.long }

    package func hash(into hasher: inout Hasher) { hasher.combine(long) }
}

/// Options for one task, with their heading in the help and in the manual page.
struct OptionGroup: Sendable {
    let title: String
    let options: [Option]
    /// Paragraphs of the manual page and the reference, in English, with code between backticks.
    let notes: [String]
    /// Command lines of the reference. A line that starts with a dash follows a command and its operands.
    let examples: [Command.Example]

    init(_ title: String, _ options: [Option], notes: [String] = [], examples: [Command.Example] = []) {
        self.title = title
        self.options = options
        self.notes = notes
        self.examples = examples
    }
}
