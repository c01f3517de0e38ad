/// The cases of a choice. `make` makes a case from the value of its field, and `payload` returns that value if the choice is this case.
extension WireFields {
    /// A case without a payload.
    package mutating func empty<Choice: Equatable>(
        _ value: inout Choice?, _ number: Int, _ choice: Choice
    ) throws(WireError) {
        try field(number, .empty, .alternative) {
            if value == choice { $0.empty(at: number) }
        } read: { reader throws(WireError) in
            value = try reader.empty(as: choice)
        }
    }

    package mutating func message<Choice, Payload: WireMessage>(
        _ value: inout Choice?, _ number: Int, _ make: (Payload) -> Choice, _ payload: (Choice) -> Payload?
    ) throws(WireError) {
        try nested(number, .message(Payload.self), .alternative) {
            if let message = value.flatMap(payload) { $0.put(message, number) }
        } read: { reader throws(WireError) in
            value = make(try reader.message())
        }
    }

    package mutating func choice<Choice, Payload: WireNumbered>(
        _ value: inout Choice?, _ number: Int, _ make: (Payload) -> Choice, _ payload: (Choice) -> Payload?
    ) throws(WireError) {
        try field(number, .choice(Payload.self), .alternative) {
            $0.choice(value.flatMap(payload), at: number)
        } read: { reader throws(WireError) in
            value = make(try reader.choice())
        }
    }

    package mutating func text<Choice>(
        _ value: inout Choice?, _ number: Int, _ make: (String) -> Choice, _ payload: (Choice) -> String?
    ) throws(WireError) {
        try field(number, .string, .alternative) {
            $0.text(value.flatMap(payload), at: number)
        } read: { reader throws(WireError) in
            value = make(try reader.text())
        }
    }

    package mutating func data<Choice>(
        _ value: inout Choice?, _ number: Int, _ make: ([UInt8]) -> Choice, _ payload: (Choice) -> [UInt8]?
    ) throws(WireError) {
        try field(number, .bytes, .alternative) {
            $0.data(value.flatMap(payload), at: number)
        } read: { reader throws(WireError) in
            value = make(try reader.data())
        }
    }

    package mutating func signed<Choice>(
        _ value: inout Choice?, _ number: Int, _ make: (Int64) -> Choice, _ payload: (Choice) -> Int64?
    ) throws(WireError) {
        try field(number, .sint64, .alternative) {
            $0.signed(value.flatMap(payload), at: number)
        } read: { reader throws(WireError) in
            value = make(try reader.signed())
        }
    }

    package mutating func integer<Choice>(
        _ value: inout Choice?, _ number: Int, _ make: (Int) -> Choice, _ payload: (Choice) -> Int?
    ) throws(WireError) {
        try field(number, .sint64, .alternative) {
            $0.integer(value.flatMap(payload), at: number)
        } read: { reader throws(WireError) in
            value = make(try reader.integer())
        }
    }

    package mutating func unsigned<Choice>(
        _ value: inout Choice?, _ number: Int, _ make: (UInt64) -> Choice, _ payload: (Choice) -> UInt64?
    ) throws(WireError) {
        try field(number, .uint64, .alternative) {
            $0.unsigned(value.flatMap(payload), at: number)
        } read: { reader throws(WireError) in
            value = make(try reader.unsigned())
        }
    }
}
