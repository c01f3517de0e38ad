/// The unique identifier of one transfer: a UUID of version 7 (RFC 9562, section 5.7). Longhaul generates it and never reuses it.
///
/// Identifiers sort by the time of submission, to the millisecond.
public struct TransferID: Hashable, Comparable, Codable, Sendable, LosslessStringConvertible {
    /// The first eight bytes, most significant first.
    @usableFromInline package let high: UInt64
    /// The last eight bytes, most significant first.
    @usableFromInline package let low: UInt64

    /// Makes an existing identifier from its sixteen bytes.
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Makes a new identifier from the time and 74 of the given random bits.
    package init(now: WallTime, random: (UInt64, UInt64)) {
        let milliseconds = UInt64(clamping: now.microseconds / 1_000) & 0xFFFF_FFFF_FFFF
        high = milliseconds << 16 | 0x7000 | (random.0 & 0x0FFF)
        low = 0x8000_0000_0000_0000 | (random.1 & 0x3FFF_FFFF_FFFF_FFFF)
    }

    /// Parses the text form of a UUID, 36 characters in lower or upper case. Returns `nil` for any other text.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count == 36 else { return nil }
        var halves: (UInt64, UInt64) = (0, 0)
        var digits = 0
        for (index, byte) in bytes.enumerated() {
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let value = Self.value(ofDigit: byte) else { return nil }
            if digits < 16 { halves.0 = halves.0 << 4 | value } else { halves.1 = halves.1 << 4 | value }
            digits += 1
        }
        self.init(high: halves.0, low: halves.1)
    }

    /// The text form of a UUID: 36 characters in lower case.
    public var description: String {
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for position in 0..<32 {
            if position == 8 || position == 12 || position == 16 || position == 20 { text.append(UInt8(ascii: "-")) }
            let half = position < 16 ? high : low
            let nibble = UInt8(truncatingIfNeeded: half >> UInt64(60 - (position % 16) * 4)) & 0xF
            text.append(nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether two identifiers are equal.
    @inlinable public static func == (left: TransferID, right: TransferID) -> Bool {
        left.high == right.high && left.low == right.low
    }

    /// Whether the left identifier was generated earlier, to the millisecond.
    public static func < (left: TransferID, right: TransferID) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }

    /// Decodes the text form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let id = TransferID(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\"\(text)\" is not a UUID.")
        }
        self = id
    }

    /// Encodes the text form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    private static func value(ofDigit byte: UInt8) -> UInt64? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}
