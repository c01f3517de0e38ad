/// A value defined in `docs/internals/longhaul.proto`, which is stored in a blob or sent over a socket.
///
/// The encoding is that of protocol buffers, version 3. A number, a flag, a text, or a list that is zero or empty is not written.
/// Optional values are written unless they are `nil`. So are values whose default is not zero: a client may omit them, and another
/// default in a later version never changes a stored record. Unknown fields are skipped, so that an older version reads messages of a
/// newer one that only added fields.
package protocol WireMessage {
    /// Writes the fields, in ascending order of their numbers. Consuming, because a copy of a record costs a reference for each text.
    consuming func encode(into writer: inout WireWriter)
    /// Writes the fields as a part of another message.
    consuming func write(to wire: inout WireFields)
    /// Reads fields until the end of the reader. A function, because the compiler would offer an initializer to apps whose call
    /// of an initializer is wrong.
    static func decoded(from reader: inout WireReader) throws(WireError) -> Self
}

/// A message whose fields are named once, for writing and for reading.
package protocol WireRecord: WireMessage {
    /// The value of a message without fields; required fields are replaced.
    static var blank: Self { get }
    /// Names every field, in ascending order of their numbers.
    mutating func fields(_ wire: inout WireFields) throws(WireError)
    /// Rejects or corrects invalid combinations of the fields that were read.
    mutating func complete() throws(WireError)
}

extension WireRecord {
    package mutating func complete() throws(WireError) {}

    package consuming func encode(into writer: inout WireWriter) {
        var copy = self
        WireFields.write(to: &writer) { wire throws(WireError) in try copy.fields(&wire) }
    }

    package consuming func write(to wire: inout WireFields) {
        var copy = self
        wire.write { wire throws(WireError) in try copy.fields(&wire) }
    }

    package static func decoded(from reader: inout WireReader) throws(WireError) -> Self {
        var value = Self.blank
        try WireFields.read(from: &reader) { wire throws(WireError) in try value.fields(&wire) }
        try value.complete()
        return value
    }
}

/// A choice between cases, each of which has its own field: a `oneof`.
package protocol WireCases {
    /// Names the field of every case. `value` is the value to write, or `nil` until a case was read.
    static func cases(_ value: inout Self?, _ wire: inout WireFields) throws(WireError)
}

/// A choice that is a separate message.
package protocol WireChoice: WireCases, WireMessage {}

extension WireChoice {
    package consuming func encode(into writer: inout WireWriter) {
        var value = Optional(self)
        WireFields.write(to: &writer) { wire throws(WireError) in try Self.cases(&value, &wire) }
    }

    package consuming func write(to wire: inout WireFields) {
        var value = Optional(self)
        wire.write { wire throws(WireError) in try Self.cases(&value, &wire) }
    }

    package static func decoded(from reader: inout WireReader) throws(WireError) -> Self {
        var value: Self?
        try WireFields.read(from: &reader) { wire throws(WireError) in try Self.cases(&value, &wire) }
        guard let value else { throw .unknownValue }
        return value
    }
}

extension WireMessage {
    package consuming func write(to wire: inout WireFields) { encode(into: &wire.writer.pointee) }

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
    package var wireBytes: [UInt8] { wireBytes(anchors: .none) }

    /// Returns the encoded value with paths relative to the anchors.
    package func wireBytes(anchors: PathAnchors) -> [UInt8] {
        var writer = WireWriter(anchors: anchors)
        encode(into: &writer)
        return writer.bytes
    }

    /// Reads a value that fills the whole buffer.
    package static func decoded(
        wireBytes buffer: UnsafeRawBufferPointer, anchors: PathAnchors = .none, shared: SharedMessages? = nil
    ) throws(WireError) -> Self {
        var reader = WireReader(buffer, anchors: anchors, shared: shared)
        return try decoded(from: &reader)
    }

    /// Reads a value that fills the whole array.
    package static func decoded(wireBytes bytes: [UInt8], anchors: PathAnchors = .none) throws(WireError) -> Self {
        let result = bytes.withUnsafeBytes { buffer -> Result<Self, WireError> in
            do throws(WireError) {
                return .success(try decoded(wireBytes: buffer, anchors: anchors))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}

/// Why bytes are not a valid message.
package enum WireError: Error, Equatable, Sendable {
    /// The bytes end inside a value, or a length extends beyond them.
    case truncated
    /// Not a protocol buffer: an overlong number, field number 0, an unused wire type.
    case malformed
    /// A field has the wrong wire type.
    case wrongType
    /// A text is not UTF-8.
    case invalidText
    /// An enumeration, or a choice between messages, has an unknown value; or a value is outside its range.
    case unknownValue
    /// A required value is missing.
    case missingValue
    /// Nested messages that are deeper or more numerous than in any message of ours.
    case excessive
}
