import LonghaulCore

/// Compares the fields of messages with those of the `.proto` files, from some messages down to all their parts.
struct ProtoComparison {
    private let description: ProtoDescription
    private var typesByName: [String: ObjectIdentifier] = [:]
    private var namesByType: [ObjectIdentifier: String] = [:]
    private(set) var differences: [String] = []
    private var rest: [(any WireMessage.Type, String)]

    init(_ description: ProtoDescription, _ roots: [(any WireMessage.Type, String)]) {
        self.description = description
        rest = roots
    }

    /// Types in the files that no message uses.
    var unused: [String] {
        let all = Set(description.messages.keys).union(description.enumerations.keys)
        return all.subtracting(typesByName.keys).subtracting(["Empty"]).sorted()
    }

    mutating func run() {
        while let (type, name) = rest.popLast() {
            if isNew(type, name) { compare(type, name) }
        }
    }

    private mutating func compare(_ type: any WireMessage.Type, _ name: String) {
        guard let described = description.messages[name] else { return differ(name, "is not described") }
        guard let fields = type.describedFields else { return differ(name, "does not name its fields") }
        let numbers = described.map(\.number)
        let all = (numbers + description.reserved[name, default: []]).sorted()
        if all != Array(1..<(all.count + 1)) { differ(name, "has the numbers \(numbers)") }
        if fields.map(\.number) != numbers { differ(name, "names the fields \(fields.map(\.number)) in this order") }
        for field in fields {
            guard let other = described.first(where: { $0.number == field.number }) else { continue }
            let place = name + "." + other.name
            if "\(field.label)" != other.label {
                differ(place, "is \(field.label) in code, \(other.label) in the file")
            }
            compare(field.kind, other.type, place)
        }
    }

    private mutating func compare(_ kind: WireField.Kind, _ described: String, _ place: String) {
        switch kind {
        case .message(let type): rest.append((type, described))
        case .choice(let type): if isNew(type, described) { compareValues(of: type, described) }
        case .empty: if described != "Empty" { differ(place, "is a case without payload") }
        case .numbersByName: if described != "map<string, sint64>" { differ(place, "is numbers by name") }
        case .sint64, .uint64, .fixed64, .bool, .string, .bytes:
            if "\(kind)" != described { differ(place, "is a \(kind) in code, a \(described) in the file") }
        }
    }

    private mutating func compareValues<Value: WireNumbered>(of type: Value.Type, _ name: String) {
        guard let described = description.enumerations[name] else { return differ(name, "is not described") }
        var values: [Int: String] = [:]
        for number in 0..<128 {
            if let value = type.init(wireNumber: number) { values[number] = "\(value)" }
        }
        if values.keys.sorted() != Array(0..<values.count) { differ(name, "has the values \(values.keys.sorted())") }
        let prefix = Self.words(of: name).joined(separator: "_") + "_"
        let spelled = values.mapValues { prefix + Self.words(of: $0).joined(separator: "_") }
        if described != spelled { differ(name, "is \(spelled) in code, \(described) in the file") }
    }

    /// Returns whether a pair was not seen yet. One name for two types is a difference, and so are two names for one type.
    private mutating func isNew(_ type: Any.Type, _ name: String) -> Bool {
        let identity = ObjectIdentifier(type)
        guard typesByName[name] != nil || namesByType[identity] != nil else {
            (typesByName[name], namesByType[identity]) = (identity, name)
            return true
        }
        if typesByName[name] != identity { differ(name, "stands for \(type) and for another type") }
        if namesByType[identity] != name { differ(name, "and \(namesByType[identity] ?? "another") are the same type") }
        return false
    }

    private mutating func differ(_ place: String, _ difference: String) {
        differences.append(place + " " + difference)
    }

    /// Returns the words of a name in capitals: `serverBusy` is `SERVER`, `BUSY`, and `HTTP3Use` is `HTTP3`, `USE`.
    private static func words(of name: String) -> [String] {
        var words: [String] = []
        let letters = Array(name)
        for (index, letter) in letters.enumerated() where letter.isLetter || letter.isNumber {
            let before = index == 0 ? nil : letters[index - 1]
            let after = index + 1 < letters.count ? letters[index + 1] : nil
            let begins = letter.isUppercase && (before?.isLowercase == true || after?.isLowercase == true)
            if words.isEmpty || begins || before == "." { words.append("") }
            words[words.count - 1] += letter.uppercased()
        }
        return words
    }
}
