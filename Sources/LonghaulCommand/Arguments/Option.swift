/// One option of a command: how it is written and what the help says about it.
package struct Option: Hashable, Sendable {
    /// The long name without its dashes; it is the option's identity, whatever a command's help says of it.
    let long: String
    /// The letter after a single dash.
    let short: Character?
    /// What the help calls the value; `nil` for an option without one.
    let value: String?
    /// Whether a second value would silently take the place of something that was meant as well.
    let isGivenOnce: Bool
    let help: String

    init(
        _ long: String, _ short: Character? = nil, value: String? = nil, isGivenOnce: Bool = false, _ help: String
    ) {
        self.long = long
        self.short = short
        self.value = value
        self.isGivenOnce = isGivenOnce
        self.help = help
    }

    package static func == (left: Option, right: Option) -> Bool { left.long == right.long }

    package func hash(into hasher: inout Hasher) { hasher.combine(long) }
}
