import LonghaulCore

/// An identifier as it was typed: whole, or four digits or more of its beginning, its end, or its short form.
struct IDPattern: Equatable, Sendable {
    let text: String
    private let value: UInt128
    private let digits: Int

    /// `nil` for a text that is not an identifier, and may be a key or a name.
    init?(_ text: String) {
        let plain = text.filter { $0 != "-" }
        guard (4...32).contains(plain.utf8.count), let value = UInt128(plain, radix: 16), plain.first != "+" else {
            return nil
        }
        self.text = text
        self.value = value
        digits = plain.utf8.count
    }

    /// The identifier itself, if it was typed completely.
    var whole: TransferID? {
        digits == 32 ? TransferID(high: UInt64(value >> 64), low: UInt64(truncatingIfNeeded: value)) : nil
    }

    func matches(_ id: TransferID) -> Bool {
        let bits = UInt128(id.high) << 64 | UInt128(id.low)
        let rest = UInt128(128 - 4 * digits)
        if bits >> rest == value || (bits << rest) >> rest == value { return true }
        // Lists show the last eight digits, and users type the first ones that they see.
        return digits < 8 && (bits & 0xFFFF_FFFF) >> UInt128(32 - 4 * digits) == value
    }
}
