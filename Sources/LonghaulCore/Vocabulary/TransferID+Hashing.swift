// Every event looks up its transfer in several tables. The standard library's hash, which protects against chosen keys, would take a
// tenth of the loop's time.
extension TransferID {
    /// Feeds the identifier to a hasher.
    @inlinable public func hash(into hasher: inout Hasher) {
        hasher.combine(high)
        hasher.combine(low)
    }

    /// Returns the hash for a table of identifiers. Each half is mixed with a secret of this process, so that no other process can
    /// choose identifiers that collide. `seed` differs by table, because one table may be filled in the order of another.
    @inlinable public func _rawHashValue(seed: Int) -> Int {
        let secret = HashSecret.ofThisProcess
        let left = high ^ secret.high ^ UInt64(truncatingIfNeeded: seed)
        let product = left.multipliedFullWidth(by: low ^ secret.low)
        return Int(truncatingIfNeeded: product.high ^ product.low)
    }
}

/// Two words that other processes do not know, from the standard library's seed.
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
