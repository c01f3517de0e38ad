/// Durations as they are stored and sent: in whole microseconds.
extension Duration {
    /// Makes a duration of `microseconds`.
    package init(microseconds: Int64) {
        self = .microseconds(microseconds)
    }

    /// The whole microseconds, rounded towards zero. A duration that is longer than any stored one saturates.
    package var microseconds: Int64 {
        Int64(clamping: attoseconds / 1_000_000_000_000)
    }

    /// The whole seconds, rounded towards zero; saturates like ``microseconds``.
    package var seconds: Int64 { microseconds / 1_000_000 }
}
