package import LonghaulCore

/// A request that an app makes when it is about to end: the answer may come after it is gone.
extension TransferSpec {
    /// The request as it is sent last: marked, so that a server can tell a repetition from a second request, and ahead of
    /// what waits already. A key or a priority of the app's own is kept.
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
