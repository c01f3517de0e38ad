import LonghaulCore

/// Waits that end even if the system never calls back.
enum BoundedWait {
    /// Runs `operation` and returns its value; `nil` if the deadline or the cancellation of the calling task comes first.
    ///
    /// The operation is cancelled then. It has `grace` to end, and is not awaited any longer: it may depend on a call that the
    /// system never makes.
    @discardableResult static func value<Value: Sendable>(
        by deadline: ContinuousClock.Instant? = nil, grace: Duration = .zero,
        of operation: @escaping @Sendable () async -> Value
    ) async -> Value? {
        let work = Task { await operation() }
        if await hasEnded(work, by: deadline) { return await work.value }
        work.cancel()
        guard grace > .zero else { return nil }
        // A separate task: the cancellation of the calling task must not end the grace.
        let isInTime = await Task { await hasEnded(work, by: .now + grace) }.value
        return isInTime ? await work.value : nil
    }

    /// Returns when the argument of `start` was called, or when the calling task is cancelled.
    static func callback(_ start: (@escaping @Sendable () -> Void) -> Void) async {
        let (calls, feed) = AsyncStream<Never>.makeStream()
        start { feed.finish() }
        for await _ in calls {}
    }

    private static func hasEnded(_ work: Task<some Sendable, Never>, by deadline: ContinuousClock.Instant?) async
        -> Bool
    {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await callback { call in
                    Task {
                        _ = await work.value
                        call()
                    }
                }
                return !Task.isCancelled
            }
            if let deadline {
                group.addTask {
                    // Cut short when the work has ended, or with the calling task.
                    try? await Task.sleep(until: deadline, clock: .continuous)
                    return false
                }
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }
}
