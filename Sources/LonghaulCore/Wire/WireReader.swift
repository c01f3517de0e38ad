/// Reads the fields of a message, and of its nested messages, from memory that outlives the reader.
///
/// `nextField` returns the number of the next field; then exactly one call reads its value or skips it. No input can trap it or make it
/// read beyond the end. The number of values is limited by the input's length, the depth of nested messages, and their number.
package struct WireReader {
    private let memory: UnsafeRawBufferPointer
    private var position = 0
    private var end: Int
    private var type = WireType.varint
    private var depthLeft = 16
    private var messagesLeft = 1 << 20
    /// The directories that paths were written relative to.
    let anchors: PathAnchors
    /// The messages that the records before had; `nil` if there were none.
    var shared: SharedMessages?

    /// `memory` must stay valid while the reader is used.
    package init(
        _ memory: UnsafeRawBufferPointer, anchors: PathAnchors = .none, shared: SharedMessages? = nil
    ) {
        self.memory = memory
        self.anchors = anchors
        self.shared = shared
        end = memory.count
    }

    /// Returns the number of the next field; `nil` at the end of the message.
    package mutating func nextField() throws(WireError) -> Int? {
        guard position < end else { return nil }
        let tag = try varint()
        guard tag <= UInt64(UInt32.max), tag >> 3 != 0, let type = WireType(rawValue: UInt8(tag & 7)) else {
            throw .malformed
        }
        self.type = type
        return Int(tag >> 3)
    }

    /// Skips the value of an unknown field.
    package mutating func skip() throws(WireError) {
        switch type {
        case .varint: _ = try varint()
        case .fixed64: _ = try advance(8)
        case .fixed32: _ = try advance(4)
        case .delimited: _ = try delimited()
        }
    }

    package mutating func unsigned() throws(WireError) -> UInt64 {
        guard type == .varint else { throw .wrongType }
        return try varint()
    }

    package mutating func signed() throws(WireError) -> Int64 {
        let value = try unsigned()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    package mutating func integer() throws(WireError) -> Int {
        guard let value = Int(exactly: try signed()) else { throw .unknownValue }
        return value
    }

    /// Reads a priority within the valid range.
    package mutating func priority() throws(WireError) -> Int {
        let value = try integer()
        guard TransferAdjustment.priorities.contains(value) else { throw .unknownValue }
        return value
    }

    /// Reads a count, which is never negative.
    package mutating func count() throws(WireError) -> Int {
        let value = try integer()
        guard value >= 0 else { throw .unknownValue }
        return value
    }

    /// Reads a length or an offset in bytes, which is never negative.
    package mutating func length() throws(WireError) -> Int64 {
        let value = try signed()
        guard value >= 0 else { throw .unknownValue }
        return value
    }

    package mutating func flag() throws(WireError) -> Bool {
        try unsigned() != 0
    }

    package mutating func fixed() throws(WireError) -> UInt64 {
        guard type == .fixed64 else { throw .wrongType }
        let start = try advance(8)
        return UInt64(littleEndian: memory.loadUnaligned(fromByteOffset: start, as: UInt64.self))
    }

    package mutating func time() throws(WireError) -> WallTime {
        WallTime(microseconds: try signed())
    }

    package mutating func span() throws(WireError) -> Duration {
        Duration(microseconds: try signed())
    }

    package mutating func choice<Choice: WireNumbered>() throws(WireError) -> Choice {
        guard let number = Int(exactly: try unsigned()), let value = Choice(wireNumber: number) else {
            throw .unknownValue
        }
        return value
    }

    package mutating func text() throws(WireError) -> String {
        let slice = UnsafeRawBufferPointer(rebasing: memory[try delimited()])
        // The validating initializer is not specialized for UTF-8, and most texts are ASCII.
        if slice.allSatisfy({ $0 < 0x80 }) { return String(decoding: slice, as: UTF8.self) }
        guard let text = String(validating: slice.assumingMemoryBound(to: UInt8.self), as: UTF8.self) else {
            throw .invalidText
        }
        return text
    }

    package mutating func data() throws(WireError) -> [UInt8] {
        Array(memory[try delimited()])
    }

    package mutating func message<Message: WireMessage>() throws(WireError) -> Message {
        let range = try delimited()
        guard depthLeft > 0, messagesLeft > 0 else { throw .excessive }
        let outerEnd = end
        (position, end) = (range.lowerBound, range.upperBound)
        depthLeft -= 1
        messagesLeft -= 1
        let message = try Message.decoded(from: &self)
        (position, end) = (range.upperBound, outerEnd)
        depthLeft += 1
        return message
    }

    /// Reads a message that other records may have had, too.
    mutating func sharedMessage<Message: WireMessage>() throws(WireError) -> CopyOnWrite<Message> {
        guard let shared else { return CopyOnWrite(try message()) }
        let before = position
        let bytes = UnsafeRawBufferPointer(rebasing: memory[try delimited()])
        if let value: CopyOnWrite<Message> = shared.value(bytes) { return value }
        position = before
        let value = CopyOnWrite<Message>(try message())
        shared.record(value, Array(bytes))
        return value
    }

    /// Reads a case without a payload, and returns the value. A newer version's payload is ignored.
    package mutating func empty<Value>(as value: Value) throws(WireError) -> Value {
        _ = try delimited()
        return value
    }

    private mutating func delimited() throws(WireError) -> Range<Int> {
        guard type == .delimited else { throw .wrongType }
        guard let length = Int(exactly: try varint()) else { throw .truncated }
        let start = try advance(length)
        return start..<start + length
    }

    /// Advances by `length` bytes and returns where they began.
    private mutating func advance(_ length: Int) throws(WireError) -> Int {
        guard length <= end - position else { throw .truncated }
        defer { position += length }
        return position
    }

    private mutating func varint() throws(WireError) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while position < end {
            let byte = memory[position]
            position += 1
            guard shift < 63 || byte <= 1 else { throw .malformed }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw .truncated
    }
}
