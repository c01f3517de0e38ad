/// The content of a `.proto` file, as far as ours need: messages, their fields, and enumerations.
struct ProtoDescription {
    struct Field: Equatable {
        var name: String
        var number: Int
        var label: String
        var type: String
    }

    /// The fields of each message by its name; a nested message has both names with a dot.
    private(set) var messages: [String: [Field]] = [:]
    /// The numbers of removed fields.
    private(set) var reserved: [String: [Int]] = [:]
    /// The values of each enumeration by number.
    private(set) var enumerations: [String: [Int: String]] = [:]
    /// Lines that the parser does not understand.
    private(set) var oddities: [String] = []

    private enum Scope: Equatable {
        case message(String)
        case enumeration(String)
        case choice
    }

    private var scopes: [Scope] = []

    mutating func read(_ text: String) {
        for line in text.split(separator: "\n") { read(line: line) }
    }

    private mutating func read(line: Substring) {
        let parts = line.split(separator: "//", maxSplits: 1, omittingEmptySubsequences: false)
        let code = parts[0].filter { $0 != ";" }
        let isRequired = parts.count > 1 && parts[1].drop { $0 == " " }.hasPrefix("required")
        let words = code.split(separator: " ").map(String.init)
        guard let first = words.first, !["syntax", "package", "import"].contains(first) else { return }
        switch first {
        case "message": begin(words)
        case "enum":
            scopes.append(.enumeration(path(words[1])))
            enumerations[path(words[1])] = [:]
        case "reserved": reserved[message ?? "", default: []] += words.dropFirst().compactMap { Int($0) }
        case "oneof": scopes.append(.choice)
        case "}": scopes.removeLast()
        default: readEntry(code, words, isRequired: isRequired)
        }
    }

    private mutating func begin(_ words: [String]) {
        let name = path(words[1])
        messages[name] = []
        if words.last == "{" { scopes.append(.message(name)) }
    }

    private mutating func readEntry(_ code: String, _ words: [String], isRequired: Bool) {
        guard let equals = words.firstIndex(of: "="), equals > 0, equals + 1 < words.count,
            let number = Int(words[equals + 1])
        else { return oddities.append(code) }
        let name = words[equals - 1]
        if case .enumeration(let enumeration) = scopes.last {
            enumerations[enumeration]?[number] = name
            return
        }
        var type = words[..<(equals - 1)].joined(separator: " ")
        var label = isRequired ? "required" : "plain"
        if scopes.last == .choice { label = "alternative" }
        for word in ["optional", "repeated"] where type.hasPrefix(word + " ") {
            label = word
            type.removeFirst(word.count + 1)
        }
        guard let message = message, !type.isEmpty else { return oddities.append(code) }
        messages[message]?.append(Field(name: name, number: number, label: label, type: type))
    }

    /// The message around a line.
    private var message: String? {
        for scope in scopes.reversed() {
            if case .message(let name) = scope { return name }
        }
        return nil
    }

    private func path(_ name: String) -> String {
        message.map { $0 + "." + name } ?? name
    }
}
