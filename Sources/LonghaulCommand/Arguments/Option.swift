/// One option of a command: how it is written and what the help says about it.
package struct Option: Hashable, Sendable {
    /// The long name without its dashes; it is the option's identity.
    let long: String
    /// The letter after a single dash.
    let short: Character?
    /// What the help calls the value; `nil` for an option without one.
    let value: String?
    let help: String

    init(_ long: String, _ short: Character? = nil, value: String? = nil, _ help: String) {
        self.long = long
        self.short = short
        self.value = value
        self.help = help
    }
}
