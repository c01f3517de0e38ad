/// Writes the fields of messages consecutively into one array.
///
/// Each kind of value has two forms. A plain value is omitted if it is zero or empty; an optional one is written if it is set, zero or
/// not. The payload of a case is therefore passed as an optional: it must be written even if it is zero.
package struct WireWriter {
    package private(set) var bytes: [UInt8] = []
    /// The directories that paths are written relative to.
    let anchors: PathAnchors
    /// The messages that the records before had.
    let shared: SharedMessages?

    package init(capacity: Int = 256, anchors: PathAnchors = .none, shared: SharedMessages? = nil) {
        self.anchors = anchors
        self.shared = shared
        if capacity > 0 { bytes.reserveCapacity(capacity) }
    }

    /// Begins a new message in the same memory.
    package mutating func reset() {
        bytes.removeAll(keepingCapacity: true)
    }

    package mutating func unsigned(_ value: UInt64, at field: Int) {
        if value != 0 { unsigned(Optional(value), at: field) }
    }

    package mutating func unsigned(_ value: UInt64?, at field: Int) {
        guard let value else { return }
        tag(field, .varint)
        varint(value)
    }

    /// Signed numbers are always zigzag-encoded: `sint64`.
    package mutating func signed(_ value: Int64, at field: Int) {
        if value != 0 { signed(Optional(value), at: field) }
    }

    package mutating func signed(_ value: Int64?, at field: Int) {
        guard let value else { return }
        tag(field, .varint)
        varint(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
    }

    package mutating func integer(_ value: Int, at field: Int) {
        signed(Int64(value), at: field)
    }

    package mutating func integer(_ value: Int?, at field: Int) {
        signed(value.map(Int64.init), at: field)
    }

    package mutating func flag(_ value: Bool, at field: Int) {
        unsigned(value ? 1 : 0 as UInt64, at: field)
    }

    package mutating func flag(_ value: Bool?, at field: Int) {
        unsigned(value.map { $0 ? 1 : 0 }, at: field)
    }

    /// Begins a message whose bytes follow separately.
    package mutating func begin(_ count: Int, at field: Int) {
        tag(field, .delimited)
        varint(UInt64(count))
    }

    /// Writes eight bytes, for numbers that use all of their bits.
    package mutating func fixed(_ value: UInt64, at field: Int) {
        guard value != 0 else { return }
        tag(field, .fixed64)
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    package mutating func time(_ value: WallTime, at field: Int) {
        signed(value.microseconds, at: field)
    }

    package mutating func time(_ value: WallTime?, at field: Int) {
        signed(value?.microseconds, at: field)
    }

    package mutating func span(_ value: Duration, at field: Int) {
        signed(value.microseconds, at: field)
    }

    package mutating func span(_ value: Duration?, at field: Int) {
        signed(value?.microseconds, at: field)
    }

    package mutating func choice<Choice: WireNumbered>(_ value: Choice, at field: Int) {
        unsigned(UInt64(bitPattern: Int64(value.wireNumber)), at: field)
    }

    package mutating func choice<Choice: WireNumbered>(_ value: Choice?, at field: Int) {
        unsigned((value?.wireNumber).map { UInt64(bitPattern: Int64($0)) }, at: field)
    }

    package mutating func text(_ value: String, at field: Int) {
        if !value.isEmpty { text(Optional(value), at: field) }
    }

    package mutating func text(_ value: String?, at field: Int) {
        guard let value else { return }
        tag(field, .delimited)
        varint(UInt64(value.utf8.count))
        bytes.append(contentsOf: value.utf8)
    }

    package mutating func texts(_ values: some Sequence<String>, at field: Int) {
        for value in values { text(Optional(value), at: field) }
    }

    package mutating func data(_ value: [UInt8], at field: Int) {
        if !value.isEmpty { data(Optional(value), at: field) }
    }

    package mutating func data(_ value: [UInt8]?, at field: Int) {
        guard let value else { return }
        tag(field, .delimited)
        varint(UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    /// A message is always written, even if none of its fields is.
    package mutating func message(_ value: consuming some WireMessage, at field: Int) {
        let start = open(at: field)
        value.encode(into: &self)
        close(from: start)
    }

    package mutating func messages(_ values: some Sequence<some WireMessage>, at field: Int) {
        for value in values { message(value, at: field) }
    }

    /// Writes a message without fields, for a case without a payload.
    package mutating func empty(at field: Int) {
        tag(field, .delimited)
        bytes.append(0)
    }

    /// Begins a message whose fields come next. Returns the argument for ``close(from:)``.
    mutating func open(at field: Int) -> Int {
        tag(field, .delimited)
        bytes.append(0)
        return bytes.count - 1
    }

    /// Sets the length of the message that began after `start`. One byte was reserved, which is enough for most; a longer message
    /// is moved.
    mutating func close(from start: Int) {
        var rest = UInt64(bytes.count - start - 1)
        var position = start
        bytes[position] = UInt8(truncatingIfNeeded: rest & 0x7F) | (rest > 0x7F ? 0x80 : 0)
        rest >>= 7
        while rest != 0 {
            position += 1
            bytes.insert(UInt8(truncatingIfNeeded: rest & 0x7F) | (rest > 0x7F ? 0x80 : 0), at: position)
            rest >>= 7
        }
    }

    /// Returns the content of the only field that was written after `start`.
    func content(from start: Int) -> [UInt8] {
        var rest = bytes[start...]
        // The tag, and the length.
        for _ in 0..<2 { rest = rest.drop { $0 > 0x7F }.dropFirst() }
        return Array(rest)
    }

    private mutating func tag(_ field: Int, _ type: WireType) {
        varint(UInt64(field) << 3 | UInt64(type.rawValue))
    }

    private mutating func varint(_ value: UInt64) {
        var rest = value
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}

/// The low three bits of a tag. Groups (3, 4) are not used.
enum WireType: UInt8 {
    case varint = 0
    case fixed64 = 1
    case delimited = 2
    case fixed32 = 5
}
