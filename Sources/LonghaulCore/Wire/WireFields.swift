/// Writes, reads, or describes the fields of a message: each field is one line for all three.
///
/// A plain value is omitted if it is zero or empty, and stays blank if its field is absent; an optional value is written if it is set,
/// zero or not. The lines are in ascending order of their numbers, so that their output is read in one pass.
package struct WireFields {
    private enum Mode {
        case writing
        case reading
        case describing
    }

    private let mode: Mode
    var writer = WireWriter(capacity: 0)
    private var reader = WireReader(UnsafeRawBufferPointer(start: nil, count: 0))
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

    /// Writes the output of `body`.
    static func write(to writer: inout WireWriter, _ body: (inout WireFields) -> Void) {
        var fields = WireFields(.writing)
        swap(&fields.writer, &writer)
        body(&fields)
        swap(&fields.writer, &writer)
    }

    /// Writes the fields that `lines` name.
    mutating func write(_ lines: (inout WireFields) throws(WireError) -> Void) {
        do throws(WireError) { try lines(&self) } catch { preconditionFailure("Writing refuses nothing: \(error)") }
    }

    /// Reads until the end of the reader. Fields in another order need further passes, and unknown fields are skipped.
    static func read(
        from reader: inout WireReader, _ lines: (inout WireFields) throws(WireError) -> Void
    ) throws(WireError) {
        var fields = WireFields(.reading)
        swap(&fields.reader, &reader)  // A copy would cost reference counts for each message.
        fields.pending = try fields.reader.nextField() ?? 0
        repeat {
            fields.hasTaken = false
            try lines(&fields)
            if fields.pending != 0, !fields.hasTaken {
                try fields.reader.skip()
                fields.pending = try fields.reader.nextField() ?? 0
            }
        } while fields.pending != 0
        guard fields.required & ~fields.taken == 0 else { throw .missingValue }
        swap(&fields.reader, &reader)
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
    package var isReading: Bool { mode == .reading }

    /// Writes, reads, or describes one field. Inlined, because most fields are absent, and cost a comparison of numbers.
    @inline(__always)
    mutating func field(
        _ number: Int, _ kind: @autoclosure () -> WireField.Kind, _ label: WireField.Label = .plain,
        write: (inout WireWriter) -> Void, read: (inout WireReader) throws(WireError) -> Void
    ) throws(WireError) {
        try nested(number, kind(), label, write: { write(&$0.writer) }, read: read)
    }

    /// Writes, reads, or describes a field with messages.
    @inline(__always)
    mutating func nested(
        _ number: Int, _ kind: @autoclosure () -> WireField.Kind, _ label: WireField.Label = .plain,
        write: (inout WireFields) -> Void, read: (inout WireReader) throws(WireError) -> Void
    ) throws(WireError) {
        switch mode {
        case .writing: write(&self)
        case .reading:
            if label == .required { required |= 1 << UInt64(number) }
            while pending == number {
                try read(&reader)
                hasTaken = true
                taken |= 1 << UInt64(number)
                pending = try reader.nextField() ?? 0
            }
        case .describing: description.append(WireField(number: number, label: label, kind: kind()))
        }
    }

    /// Writes a nested message. It is always written, even if none of its fields is.
    mutating func put(_ message: some WireMessage, _ number: Int) {
        let start = writer.open(at: number)
        message.write(to: &self)
        writer.close(from: start)
    }

    /// A choice of fields of which exactly one is present, whichever case the value has.
    package mutating func cases<Choice: WireCases>(_ value: inout Choice) throws(WireError) {
        var choice = mode == .writing ? value : nil
        try Choice.cases(&choice, &self)
        guard mode == .reading else { return }
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
