/// Writes, reads or describes the fields of a message: a field is one line, whichever of the three is done.
///
/// A plain value is left out of the bytes when it is zero or empty, and stays blank when its field is absent; an optional value is
/// written whenever it is there, zero or not. The lines come in rising order of their numbers, so that what they wrote is read in one pass.
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
    /// The number of the field whose value comes next; `nil` at the end of the message.
    private var pending: Int?
    private var hasTaken = false
    /// A bit for each field that must be there, by number. Bit 0 is a choice between fields.
    private var required: UInt64 = 0
    /// A bit for each field that was there.
    private var taken: UInt64 = 0

    private init(_ mode: Mode) {
        self.mode = mode
    }

    /// Writes what `body` writes.
    static func write(to writer: inout WireWriter, _ body: (inout WireFields) -> Void) {
        var fields = WireFields(.writing)
        swap(&fields.writer, &writer)
        body(&fields)
        swap(&fields.writer, &writer)
    }

    /// Writes what `lines` name.
    mutating func write(_ lines: (inout WireFields) throws(WireError) -> Void) {
        do throws(WireError) { try lines(&self) } catch { preconditionFailure("Writing refuses nothing: \(error)") }
    }

    /// Reads until the reader has no more. Fields that came in another order are found by further passes, and a field that no line names is
    /// passed over.
    static func read(
        from reader: inout WireReader, _ lines: (inout WireFields) throws(WireError) -> Void
    ) throws(WireError) {
        var fields = WireFields(.reading)
        fields.reader = reader
        fields.pending = try fields.reader.nextField()
        repeat {
            fields.hasTaken = false
            try lines(&fields)
            if fields.pending != nil, !fields.hasTaken {
                try fields.reader.skip()
                fields.pending = try fields.reader.nextField()
            }
        } while fields.pending != nil
        guard fields.required & ~fields.taken == 0 else { throw .missingValue }
        reader = fields.reader
    }

    /// What `lines` name.
    static func describe(_ lines: (inout WireFields) throws(WireError) -> Void) -> [WireField] {
        var fields = WireFields(.describing)
        do throws(WireError) { try lines(&fields) } catch {
            preconditionFailure("Describing refuses nothing: \(error)")
        }
        return fields.description
    }

    /// Whether the fields get their values from bytes.
    package var isReading: Bool { mode == .reading }

    /// Does with one field what is being done with all of them.
    mutating func field(
        _ number: Int, _ kind: @autoclosure () -> WireField.Kind, _ label: WireField.Label = .plain,
        write: (inout WireWriter) -> Void, read: (inout WireReader) throws(WireError) -> Void
    ) throws(WireError) {
        try nested(number, kind(), label, write: { write(&$0.writer) }, read: read)
    }

    /// The same for a field that holds messages.
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
                pending = try reader.nextField()
            }
        case .describing: description.append(WireField(number: number, label: label, kind: kind()))
        }
    }

    /// Writes a message within this one. It is always written, also when none of its fields is.
    mutating func put(_ message: some WireMessage, _ number: Int) {
        let start = writer.open(at: number)
        message.write(to: &self)
        writer.close(from: start)
    }

    /// Fields of which exactly one is there, whichever case of the value it holds.
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

/// What a line of ``WireFields`` says about its field, for a comparison with `docs/longhaul.proto`.
package struct WireField {
    /// How often the field is there.
    package enum Label: Equatable, Sendable {
        /// It is there unless it is zero or empty.
        case plain
        case optional
        case required
        case repeated
        /// It is one of several, and exactly one of them is there.
        case alternative
    }

    /// What the field holds, in the words of protocol buffers.
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
