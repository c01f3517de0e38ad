package import LonghaulCore

/// A request that an app makes just before its end: the response may come after that.
extension TransferSpec {
    /// Returns the spec as the app's last request: with a key, so that a server can distinguish a repetition from a
    /// second request, and ahead of the queue. A key or a priority of the app is kept.
    package func asLastRequest(random: (UInt64, UInt64), now: WallTime) -> TransferSpec {
        var spec = self
        if spec.options.idempotencyKey == nil, spec.headers.single("Idempotency-Key") == nil {
            spec.options.idempotencyKey = TransferID(now: now, random: random).description
        }
        if spec.options.priority == 0 { spec.options.priority = 1_000_000 }
        spec.options.isAttended = true
        return spec
    }
}
