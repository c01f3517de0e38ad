/// A value with a place in `docs/longhaul.proto`: it is stored in a blob or sent over a socket.
///
/// The encoding is that of protocol buffers, version 3. A number, a flag, a text or a list that is zero or empty is not
/// written. Optional values are written unless they are `nil`. So are values whose default is not zero: a client may leave
/// them out, and another default in a later program never changes a stored record. Unknown fields are skipped, so that an
/// older program reads messages of a newer one, as long as the newer one added fields only.
package protocol WireMessage {
    /// Writes the fields, in rising order of their numbers.
    func encode(into writer: inout WireWriter)
    /// The same as a part of another message.
    func write(to wire: inout WireFields)
    /// Reads fields until the reader has no more.
    init(from reader: inout WireReader) throws(WireError)
}

/// A message whose fields are named once, for writing and for reading.
package protocol WireRecord: WireMessage {
    /// What a message without fields is read as; what is required is replaced.
    static var blank: Self { get }
    /// Names every field, in rising order of their numbers.
    mutating func fields(_ wire: inout WireFields) throws(WireError)
    /// Refuses, or sets right, what the fields that were read say together.
    mutating func complete() throws(WireError)
}

extension WireRecord {
    package mutating func complete() throws(WireError) {}

    package func encode(into writer: inout WireWriter) {
        WireFields.write(to: &writer) { write(to: &$0) }
    }

    package func write(to wire: inout WireFields) {
        var copy = self
        wire.write { wire throws(WireError) in try copy.fields(&wire) }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        var value = Self.blank
        try WireFields.read(from: &reader) { wire throws(WireError) in try value.fields(&wire) }
        try value.complete()
        self = value
    }
}

/// A choice between cases, each of which has a field of its own: a `oneof`.
package protocol WireCases {
    /// Names the field of every case. `value` is what to write, or `nil` until a case was read.
    static func cases(_ value: inout Self?, _ wire: inout WireFields) throws(WireError)
}

/// A choice that is a message of its own.
package protocol WireChoice: WireCases, WireMessage {}

extension WireChoice {
    package func encode(into writer: inout WireWriter) {
        WireFields.write(to: &writer) { write(to: &$0) }
    }

    package func write(to wire: inout WireFields) {
        var value = Optional(self)
        wire.write { wire throws(WireError) in try Self.cases(&value, &wire) }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        var value: Self?
        try WireFields.read(from: &reader) { wire throws(WireError) in try Self.cases(&value, &wire) }
        guard let value else { throw .unknownValue }
        self = value
    }
}

extension WireMessage {
    package func write(to wire: inout WireFields) { encode(into: &wire.writer) }

    /// The fields of this type, or `nil` if it names them twice.
    package static var describedFields: [WireField]? {
        switch self {
        case let type as any WireRecord.Type: type.describedRecord
        case let type as any WireChoice.Type: type.describedChoice
        default: nil
        }
    }
}

extension WireRecord {
    fileprivate static var describedRecord: [WireField] {
        var value = blank
        return WireFields.describe { wire throws(WireError) in try value.fields(&wire) }
    }
}

extension WireChoice {
    fileprivate static var describedChoice: [WireField] {
        var value: Self?
        return WireFields.describe { wire throws(WireError) in try cases(&value, &wire) }
    }
}

extension WireMessage {
    /// The encoded value.
    package var wireBytes: [UInt8] {
        var writer = WireWriter()
        encode(into: &writer)
        return writer.bytes
    }

    /// Reads a value that fills the whole buffer.
    package init(wireBytes buffer: UnsafeRawBufferPointer) throws(WireError) {
        var reader = WireReader(buffer)
        try self.init(from: &reader)
    }

    /// Reads a value that fills the whole array.
    package init(wireBytes bytes: [UInt8]) throws(WireError) {
        let result = bytes.withUnsafeBytes { buffer -> Result<Self, WireError> in
            do throws(WireError) { return .success(try Self(wireBytes: buffer)) } catch { return .failure(error) }
        }
        self = try result.get()
    }
}

/// Why bytes are not the message they should be.
package enum WireError: Error, Equatable, Sendable {
    /// The bytes end inside a value, or a length reaches beyond them.
    case truncated
    /// Not a protocol buffer: an overlong number, field number 0, a wire type that is not used.
    case malformed
    /// A field has another wire type than it should.
    case wrongType
    /// A text is not UTF-8.
    case invalidText
    /// An enumeration, or a choice between messages, has a value this program does not know; or a value is outside its range.
    case unknownValue
    /// A value is missing without which the message means nothing.
    case missingValue
    /// Messages within messages, deeper or more of them than any of ours.
    case excessive
}
