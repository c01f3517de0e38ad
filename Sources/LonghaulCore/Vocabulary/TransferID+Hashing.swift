// Every event looks for its transfer in several tables. The standard library's hash, made for keys that others choose and
// can read back, would be a tenth of what the loop does.
extension TransferID {
    /// Feeds both halves, where the identifier is a part of something else.
    @inlinable public func hash(into hasher: inout Hasher) {
        hasher.combine(high)
        hasher.combine(low)
    }

    /// What a table of identifiers asks for: a product of both halves, each with a secret of this process, so that nobody can choose
    /// identifiers that meet in one place. `seed` differs from table to table: one may be filled in the order of another.
    @inlinable public func _rawHashValue(seed: Int) -> Int {
        let secret = HashSecret.ofThisProcess
        let left = high ^ secret.high ^ UInt64(truncatingIfNeeded: seed)
        let product = left.multipliedFullWidth(by: low ^ secret.low)
        return Int(truncatingIfNeeded: product.high ^ product.low)
    }
}

/// Two words that other processes do not know, from the standard library's own seed.
@usableFromInline struct HashSecret: Sendable {
    @usableFromInline let high: UInt64
    @usableFromInline let low: UInt64

    @usableFromInline static let ofThisProcess = HashSecret(high: word(1), low: word(2))

    private static func word(_ number: Int) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(number)
        return UInt64(UInt(bitPattern: hasher.finalize()))
    }
}
