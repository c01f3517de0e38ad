/// Durations in their stored and sent form: whole microseconds.
extension Duration {
    /// Initializes a duration of `microseconds`.
    package init(microseconds: Int64) {
        self = .microseconds(microseconds)
    }

    /// The whole microseconds, rounded towards zero. A duration longer than any stored one saturates.
    package var microseconds: Int64 {
        Int64(clamping: attoseconds / 1_000_000_000_000)
    }

    /// The whole seconds, rounded towards zero; saturates like ``microseconds``.
    package var seconds: Int64 { microseconds / 1_000_000 }
}
