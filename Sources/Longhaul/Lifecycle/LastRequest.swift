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
        return spec
    }
}

/// Sends last requests through whatever takes transfers for good.
package struct LastRequest: Sendable {
    /// Returns when the transfer is on disk: one commit.
    package typealias Submit = @Sendable (TransferSpec) async throws(TransferFailure) -> TransferID

    private let submit: Submit
    private let now: @Sendable () -> WallTime
    private let random: @Sendable () -> UInt64

    package init(
        now: @escaping @Sendable () -> WallTime, random: @escaping @Sendable () -> UInt64, submit: @escaping Submit
    ) {
        self.now = now
        self.random = random
        self.submit = submit
    }

    /// Makes the request durable; when it returns, the process may die. It is tried at once, and delivered at least
    /// once: a server that knows idempotency keys acts on it once.
    package func send(_ request: TransferSpec) async throws(TransferFailure) -> TransferID {
        try await submit(request.asLastRequest(random: (random(), random()), now: now()))
    }
}
