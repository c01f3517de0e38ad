/// Writes, reads, or describes the fields of a message: each field is one line for all three.
///
/// A plain value is omitted if it is zero or empty, and stays blank if its field is absent; an optional value is written if it is set,
/// zero or not. The lines are in ascending order of their numbers, so that their output is read in one pass.
package struct WireFields {
    /// Pointers, because the fields of a nested message have their own value of this type, which would copy arrays and references.
    private enum Mode {
        case writing(UnsafeMutablePointer<WireWriter>)
        case reading(UnsafeMutablePointer<WireReader>)
        case describing
    }

    private let mode: Mode
    private var description: [WireField] = []
    /// The number of the next field; 0 at the end of the message, since no field has this number.
    private var pending = 0
    private var hasTaken = false
    /// A bit for each required field, by number. Bit 0 is a choice between fields.
    private var required: UInt64 = 0
    /// A bit for each field that was read.
    private var taken: UInt64 = 0

    private init(_ mode: Mode) {
        self.mode = mode
    }

    /// Writes the fields that `lines` name.
    static func write(to writer: inout WireWriter, _ lines: (inout WireFields) throws(WireError) -> Void) {
        withUnsafeMutablePointer(to: &writer) { writer in
            var fields = WireFields(.writing(writer))
            fields.write(lines)
        }
    }

    /// Writes the fields that `lines` name.
    mutating func write(_ lines: (inout WireFields) throws(WireError) -> Void) {
        do throws(WireError) { try lines(&self) } catch { preconditionFailure("Writing refuses nothing: \(error)") }
    }

    /// Reads until the end of the reader. Fields in another order need further passes, and unknown fields are skipped.
    static func read(
        from reader: inout WireReader, _ lines: (inout WireFields) throws(WireError) -> Void
    ) throws(WireError) {
        try withUnsafeMutablePointer(to: &reader) { reader throws(WireError) in
            var fields = WireFields(.reading(reader))
            fields.pending = try reader.pointee.nextField() ?? 0
            repeat {
                fields.hasTaken = false
                try lines(&fields)
                if fields.pending != 0, !fields.hasTaken {
                    try reader.pointee.skip()
                    fields.pending = try reader.pointee.nextField() ?? 0
                }
            } while fields.pending != 0
            guard fields.required & ~fields.taken == 0 else { throw .missingValue }
        }
    }

    /// Returns descriptions of the fields that `lines` name.
    static func describe(_ lines: (inout WireFields) throws(WireError) -> Void) -> [WireField] {
        var fields = WireFields(.describing)
        do throws(WireError) { try lines(&fields) } catch {
            preconditionFailure("Describing refuses nothing: \(error)")
        }
        return fields.description
    }

    /// Whether the fields are being read.
    package var isReading: Bool { if case .reading = mode { true } else { false } }

    /// Writes, reads, or describes one field. Inlined, because most fields are absent, and cost a comparison of numbers.
    @inline(__always)
    mutating func field(
        _ number: Int, _ kind: @autoclosure () -> WireField.Kind, _ label: WireField.Label = .plain,
        write: (inout WireWriter) -> Void, read: (inout WireReader) throws(WireError) -> Void
    ) throws(WireError) {
        try nested(number, kind(), label, write: { write(&$0.writer.pointee) }, read: read)
    }

    /// Writes, reads, or describes a field with messages.
    @inline(__always)
    mutating func nested(
        _ number: Int, _ kind: @autoclosure () -> WireField.Kind, _ label: WireField.Label = .plain,
        write: (inout WireFields) -> Void, read: (inout WireReader) throws(WireError) -> Void
    ) throws(WireError) {
        switch mode {
        case .writing: write(&self)
        case .reading(let reader):
            if label == .required { required |= 1 << UInt64(number) }
            while pending == number {
                try read(&reader.pointee)
                hasTaken = true
                taken |= 1 << UInt64(number)
                pending = try reader.pointee.nextField() ?? 0
            }
        case .describing: description.append(WireField(number: number, label: label, kind: kind()))
        }
    }

    /// Writes a nested message. It is always written, even if none of its fields is.
    mutating func put(_ message: consuming some WireMessage, _ number: Int) {
        let start = writer.pointee.open(at: number)
        message.write(to: &self)
        writer.pointee.close(from: start)
    }

    /// The writer of fields that are written.
    var writer: UnsafeMutablePointer<WireWriter> {
        if case .writing(let writer) = mode { writer } else { preconditionFailure("The fields are not written.") }
    }

    /// A choice of fields of which exactly one is present, whichever case the value has.
    package mutating func cases<Choice: WireCases>(_ value: inout Choice) throws(WireError) {
        var choice: Choice? = if case .writing = mode { value } else { nil }
        try Choice.cases(&choice, &self)
        guard isReading else { return }
        required |= 1
        guard let choice else { return }
        taken |= 1
        value = choice
    }
}

/// A description of a field of ``WireFields``, for a comparison with `docs/internals/longhaul.proto`.
package struct WireField {
    /// How often the field is present.
    package enum Label: Equatable, Sendable {
        /// It is present unless it is zero or empty.
        case plain
        case optional
        case required
        case repeated
        /// It is one of several, of which exactly one is present.
        case alternative
    }

    /// The type of the field, in terms of protocol buffers.
    package enum Kind {
        case sint64
        case uint64
        case fixed64
        case bool
        case string
        case bytes
        case empty
        case numbersByName
        case choice(any WireNumbered.Type)
        case message(any WireMessage.Type)
    }

    package var number: Int
    package var label: Label
    package var kind: Kind
}
