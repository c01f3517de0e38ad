/// Numbers, flags, times, and texts.
extension WireFields {
    package mutating func unsigned(_ value: inout UInt64, _ number: Int) throws(WireError) {
        try field(number, .uint64) {
            $0.unsigned(value, at: number)
        } read: { reader throws(WireError) in
            value = try reader.unsigned()
        }
    }

    package mutating func unsigned(_ value: inout UInt64?, _ number: Int) throws(WireError) {
        try field(number, .uint64, .optional) {
            $0.unsigned(value, at: number)
        } read: { reader throws(WireError) in
            value = try reader.unsigned()
        }
    }

    /// Eight bytes, for numbers that use all of their bits.
    package mutating func fixed(_ value: inout UInt64, _ number: Int) throws(WireError) {
        try field(number, .fixed64) {
            $0.fixed(value, at: number)
        } read: { reader throws(WireError) in
            value = try reader.fixed()
        }
    }

    package mutating func signed(_ value: inout Int64, _ number: Int) throws(WireError) {
        try field(number, .sint64) {
            $0.signed(value, at: number)
        } read: { reader throws(WireError) in
            value = try reader.signed()
        }
    }

    package mutating func signed(_ value: inout Int64?, _ number: Int) throws(WireError) {
        try field(number, .sint64, .optional) {
            $0.signed(value, at: number)
        } read: { reader throws(WireError) in
            value = try reader.signed()
        }
    }

    /// A length or an offset in bytes, which is never negative.
    package mutating func length(_ value: inout Int64, _ number: Int) throws(WireError) {
        try field(number, .sint64) {
            $0.signed(value, at: number)
        } read: { reader throws(WireError) in
            value = try reader.length()
        }
    }

    package mutating func length(_ value: inout Int64?, _ number: Int) throws(WireError) {
        try field(number, .sint64, .optional) {
            $0.signed(value, at: number)
        } read: { reader throws(WireError) in
            value = try reader.length()
        }
    }

    package mutating func integer(_ value: inout Int, _ number: Int) throws(WireError) {
        try field(number, .sint64) {
            $0.integer(value, at: number)
        } read: { reader throws(WireError) in
            value = try reader.integer()
        }
    }

    package mutating func integer(_ value: inout Int?, _ number: Int) throws(WireError) {
        try field(number, .sint64, .optional) {
            $0.integer(value, at: number)
        } read: { reader throws(WireError) in
            value = try reader.integer()
        }
    }

    /// A count, which is never negative.
    package mutating func count(_ value: inout Int, _ number: Int) throws(WireError) {
        try field(number, .sint64) {
            $0.integer(value, at: number)
        } read: { reader throws(WireError) in
            value = try reader.count()
        }
    }

    package mutating func flag(_ value: inout Bool, _ number: Int) throws(WireError) {
        try field(number, .bool) {
            $0.flag(value, at: number)
        } read: { reader throws(WireError) in
            value = try reader.flag()
        }
    }

    package mutating func flag(_ value: inout Bool?, _ number: Int) throws(WireError) {
        try field(number, .bool, .optional) {
            $0.flag(value, at: number)
        } read: { reader throws(WireError) in
            value = try reader.flag()
        }
    }

    package mutating func time(_ value: inout WallTime, _ number: Int) throws(WireError) {
        try field(number, .sint64) {
            $0.time(value, at: number)
        } read: { reader throws(WireError) in
            value = try reader.time()
        }
    }

    package mutating func time(_ value: inout WallTime?, _ number: Int) throws(WireError) {
        try field(number, .sint64, .optional) {
            $0.time(value, at: number)
        } read: { reader throws(WireError) in
            value = try reader.time()
        }
    }

    package mutating func span(_ value: inout Duration, _ number: Int) throws(WireError) {
        try field(number, .sint64) {
            $0.span(value, at: number)
        } read: { reader throws(WireError) in
            value = try reader.span()
        }
    }

    package mutating func span(_ value: inout Duration?, _ number: Int) throws(WireError) {
        try field(number, .sint64, .optional) {
            $0.span(value, at: number)
        } read: { reader throws(WireError) in
            value = try reader.span()
        }
    }

    /// `isPath`: a path, or a text that may contain paths.
    package mutating func text(_ value: inout String, _ number: Int, isPath: Bool = false) throws(WireError) {
        try field(number, .string) {
            $0.text(isPath ? $0.anchors.stored(value) : value, at: number)
        } read: { reader throws(WireError) in
            value = isPath ? reader.anchors.current(try reader.text()) : try reader.text()
        }
    }

    package mutating func text(_ value: inout String?, _ number: Int, isPath: Bool = false) throws(WireError) {
        try field(number, .string, .optional) {
            $0.text(isPath ? value.map($0.anchors.stored) : value, at: number)
        } read: { reader throws(WireError) in
            value = isPath ? reader.anchors.current(try reader.text()) : try reader.text()
        }
    }

    package mutating func data(_ value: inout [UInt8], _ number: Int) throws(WireError) {
        try field(number, .bytes) {
            $0.data(value, at: number)
        } read: { reader throws(WireError) in
            value = try reader.data()
        }
    }

    package mutating func data(_ value: inout [UInt8]?, _ number: Int) throws(WireError) {
        try field(number, .bytes, .optional) {
            $0.data(value, at: number)
        } read: { reader throws(WireError) in
            value = try reader.data()
        }
    }

    /// A value with a default other than zero. It is always written, and an absent field leaves the default.
    package mutating func always(_ value: inout Int, _ number: Int) throws(WireError) {
        var given = Optional(value)
        try integer(&given, number)
        value = given ?? value
    }

    package mutating func always(_ value: inout Duration, _ number: Int) throws(WireError) {
        var given = Optional(value)
        try span(&given, number)
        value = given ?? value
    }

    package mutating func always(_ value: inout Bool, _ number: Int) throws(WireError) {
        var given = Optional(value)
        try flag(&given, number)
        value = given ?? value
    }

    package mutating func always(_ value: inout String, _ number: Int) throws(WireError) {
        var given = Optional(value)
        try text(&given, number)
        value = given ?? value
    }
}
