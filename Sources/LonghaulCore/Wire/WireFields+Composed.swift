/// Composite values: choices, names, lists, and nested messages.
extension WireFields {
    /// A flag whose field has the opposite value, because it is usually set.
    package mutating func flag(inverted value: inout Bool, _ number: Int) throws(WireError) {
        var opposite = !value
        try flag(&opposite, number)
        value = !opposite
    }

    /// A priority within the valid range.
    package mutating func priority(_ value: inout Int?, _ number: Int) throws(WireError) {
        try field(number, .sint64, .optional) {
            $0.integer(value, at: number)
        } read: { reader throws(WireError) in
            value = try reader.priority()
        }
    }

    package mutating func choice<Choice: WireNumbered>(
        _ value: inout Choice, _ number: Int
    ) throws(WireError) {
        try field(number, .choice(Choice.self)) {
            $0.choice(value, at: number)
        } read: { reader throws(WireError) in
            value = try reader.choice()
        }
    }

    package mutating func choice<Choice: WireNumbered>(
        _ value: inout Choice?, _ number: Int
    ) throws(WireError) {
        try field(number, .choice(Choice.self), .optional) {
            $0.choice(value, at: number)
        } read: { reader throws(WireError) in
            value = try reader.choice()
        }
    }

    /// A set in ascending order.
    package mutating func choices<Choice: WireNumbered & Hashable>(
        _ values: inout Set<Choice>, _ number: Int
    ) throws(WireError) {
        try field(number, .choice(Choice.self), .repeated) {
            if values.isEmpty { return }
            for value in values.sorted(by: { $0.wireNumber < $1.wireNumber }) { $0.choice(Optional(value), at: number) }
        } read: { reader throws(WireError) in
            values.insert(try reader.choice())
        }
    }

    /// A set in one number: bit n is the choice n. `isAlwaysWritten` is for a set that is not empty by default.
    package mutating func bits<Choice: WireOrdered & Hashable>(
        _ values: inout Set<Choice>, _ number: Int, isAlwaysWritten: Bool = false
    ) throws(WireError) {
        try field(number, .uint64, isAlwaysWritten ? .optional : .plain) {
            let bits: UInt64 = values.reduce(0) { $0 | 1 << UInt64($1.wireNumber) }
            if isAlwaysWritten || bits != 0 { $0.unsigned(Optional(bits), at: number) }
        } read: { reader throws(WireError) in
            let bits = try reader.unsigned()
            values = Set(Choice.wireOrder.enumerated().filter { bits >> UInt64($0.offset) & 1 == 1 }.map(\.element))
        }
    }

    /// A stable word. An unknown one is an error.
    package mutating func word<Word: RawRepresentable<String>>(_ value: inout Word, _ number: Int) throws(WireError) {
        try field(number, .string, .required) {
            $0.text(Optional(value.rawValue), at: number)
        } read: { reader throws(WireError) in
            guard let word = Word(rawValue: try reader.text()) else { throw .unknownValue }
            value = word
        }
    }

    /// A name, which has its own rules.
    package mutating func name<Name: WireName>(_ value: inout Name, _ number: Int) throws(WireError) {
        try field(number, .string, .required) {
            $0.text(Optional(value.description), at: number)
        } read: { reader throws(WireError) in
            guard let name = Name(try reader.text()) else { throw .unknownValue }
            value = name
        }
    }

    package mutating func name<Name: WireName>(_ value: inout Name?, _ number: Int) throws(WireError) {
        try field(number, .string, .optional) {
            $0.text(value?.description, at: number)
        } read: { reader throws(WireError) in
            guard let name = Name(try reader.text()) else { throw .unknownValue }
            value = name
        }
    }

    package mutating func texts(_ values: inout [String], _ number: Int, arePaths: Bool = false) throws(WireError) {
        try field(number, .string, .repeated) {
            $0.texts(arePaths ? values.map($0.anchors.stored) : values, at: number)
        } read: { reader throws(WireError) in
            values.append(arePaths ? reader.anchors.current(try reader.text()) : try reader.text())
        }
    }

    /// A set in ascending order.
    package mutating func texts(_ values: inout Set<String>, _ number: Int) throws(WireError) {
        try field(number, .string, .repeated) {
            if !values.isEmpty { $0.texts(values.sorted(), at: number) }
        } read: { reader throws(WireError) in
            values.insert(try reader.text())
        }
    }

    /// Numbers by name, in ascending order of the names, as a `map`.
    package mutating func numbers(_ values: inout [String: Int], _ number: Int) throws(WireError) {
        try nested(number, .numbersByName) {
            for (name, value) in values.sorted(by: { $0.key < $1.key }) {
                $0.put(NumberByName(name: name, number: value), number)
            }
        } read: { reader throws(WireError) in
            let entry: NumberByName = try reader.message()
            values[entry.name] = entry.number
        }
    }

    /// A message that is always written, and stays blank if it is absent.
    package mutating func message<Message: WireMessage>(
        _ value: inout Message, _ number: Int, _ label: WireField.Label = .plain
    ) throws(WireError) {
        try nested(number, .message(Message.self), label) {
            $0.put(value, number)
        } read: { reader throws(WireError) in
            value = try reader.message()
        }
    }

    /// A required message.
    package mutating func required<Message: WireMessage>(_ value: inout Message, _ number: Int) throws(WireError) {
        try message(&value, number, .required)
    }

    /// A message shared by copies, which stays unchanged if it is absent.
    mutating func message<Message: WireMessage>(
        _ value: inout CopyOnWrite<Message>, _ number: Int
    ) throws(WireError) {
        try nested(number, .message(Message.self)) {
            value.put(into: &$0, number)
        } read: { reader throws(WireError) in
            value = try reader.sharedMessage()
        }
    }

    /// A message that is omitted if it is blank.
    package mutating func unlessBlank<Message: WireRecord & Equatable>(
        _ value: inout Message, _ number: Int
    ) throws(WireError) {
        try nested(number, .message(Message.self)) {
            if value != Message.blank { $0.put(value, number) }
        } read: { reader throws(WireError) in
            value = try reader.message()
        }
    }

    /// A message shared by copies, which is omitted if it is the blank one.
    mutating func unlessBlank<Message: WireRecord & Equatable>(
        _ value: inout CopyOnWrite<Message>, _ blank: CopyOnWrite<Message>, _ number: Int
    ) throws(WireError) {
        try nested(number, .message(Message.self)) {
            if value != blank { $0.put(value.value, number) }
        } read: { reader throws(WireError) in
            value = CopyOnWrite(try reader.message())
        }
    }

    package mutating func message<Message: WireMessage>(_ value: inout Message?, _ number: Int) throws(WireError) {
        try nested(number, .message(Message.self), .optional) {
            if let value { $0.put(value, number) }
        } read: { reader throws(WireError) in
            value = try reader.message() as Message
        }
    }

    /// An optional message shared by copies.
    mutating func message<Message: WireMessage>(
        _ value: inout CopyOnWrite<Message>?, _ number: Int
    ) throws(WireError) {
        try nested(number, .message(Message.self), .optional) {
            if let value { $0.put(value.value, number) }
        } read: { reader throws(WireError) in
            value = CopyOnWrite(try reader.message())
        }
    }

    package mutating func messages<Message: WireMessage>(_ values: inout [Message], _ number: Int) throws(WireError) {
        try nested(number, .message(Message.self), .repeated) {
            for value in values { $0.put(value, number) }
        } read: { reader throws(WireError) in
            if values.count == 1, reader.shared == nil { reader.shared = SharedMessages() }
            values.append(try reader.message())
        }
    }
}

/// A name with its own rules, sent as text.
package protocol WireName: CustomStringConvertible {
    /// Accepts a valid text.
    init?(_ text: String)
}

/// An entry of a `map`: both fields are always written.
private struct NumberByName: WireRecord {
    static let blank = NumberByName(name: "", number: 0)

    var name: String
    var number: Int

    mutating func fields(_ wire: inout WireFields) throws(WireError) {
        var entry: (name: String?, number: Int?) = (name, number)
        try wire.text(&entry.name, 1)
        try wire.integer(&entry.number, 2)
        (name, number) = (entry.name ?? "", entry.number ?? 0)
    }
}
