import Synchronization

/// The life of this process or app as one stream of events, for any number of observers.
///
/// ```swift
/// let lifecycle = ProcessLifecycle()
/// async let watching: Void = lifecycle.run(ProcessSignals())
/// for await event in lifecycle.events() {
///     if case .willTerminate = event { await saveDraft() }
/// }
/// ```
///
/// An observer has handled an event when it asks for the next one, so the process is not ended, and not suspended by a
/// shell, in the middle of its work. `withTerminationDelay` protects work outside of such a loop. Both are bounded:
/// at the deadline the process ends whatever is still going on. No thread is blocked meanwhile.
public final class ProcessLifecycle: Sendable {
    fileprivate struct State {
        var board = LifecycleBoard()
        var readers: [UInt64: CheckedContinuation<LifecycleEvent?, Never>] = [:]
        var whenSettled: [@Sendable () -> Void] = []
    }

    let gracePeriod: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private let shared = Mutex(State())

    /// Makes a lifecycle; nothing happens before a source runs.
    ///
    /// - Parameter gracePeriod: how long the end of the process may be held back.
    public convenience init(gracePeriod: Duration = .seconds(5)) {
        self.init(gracePeriod: gracePeriod, now: { .now })
    }

    init(gracePeriod: Duration, now: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.gracePeriod = gracePeriod
        self.now = now
    }

    /// Where the process is in its life.
    public var state: LifecycleState { shared.withLock { $0.board.state } }

    /// When the process ends at the latest; `nil` before its end was announced.
    public var deadline: ContinuousClock.Instant? { shared.withLock { $0.board.deadline } }

    /// Follows sources until the task is cancelled.
    public func run(_ sources: any LifecycleSource...) async {
        await withDiscardingTaskGroup { group in
            for source in sources { group.addTask { await source.run(self) } }
        }
    }

    /// The events from now on, in order. Each call makes an observer of its own; it is forgotten when it is dropped or
    /// its task is cancelled.
    public func events() -> LifecycleEvents {
        LifecycleEvents(LifecycleObservation(self, number: shared.withLock { $0.board.addObserver() }))
    }

    /// Holds the end of the process back while `body` runs, until the deadline at the longest. It may begin at any time,
    /// also long before the end is announced.
    public func withTerminationDelay<Result, Failure: Error>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        shared.withLock { $0.board.openLease() }
        defer { change { $0.board.closeLease() } }
        return try await body()
    }

    /// For sources: the process is in another state. Answers when it ends, if that is the state.
    ///
    /// `whenSettled` is called once, on any thread, when every observer has handled what was told and, before an end,
    /// nothing holds the end back any more. The source keeps to the deadline itself.
    @discardableResult
    public func enter(
        _ state: LifecycleState, whenSettled: @escaping @Sendable () -> Void = {}
    ) -> ContinuousClock.Instant {
        let deadline = now() + gracePeriod
        change { shared in
            for number in shared.board.enter(state, deadline: deadline) { shared.feed(number) }
            shared.whenSettled.append(whenSettled)
        }
        return self.deadline ?? deadline
    }

    func next(_ number: UInt64) async -> LifecycleEvent? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<LifecycleEvent?, Never>) in
                change { shared in
                    precondition(shared.readers[number] == nil, "two tasks read the events of one observer")
                    shared.readers[number] = continuation
                    if Task.isCancelled || !shared.board.knows(number) {
                        shared.drop(number)
                    } else {
                        shared.feed(number)
                    }
                }
            }
        } onCancel: {
            drop(number)
        }
    }

    func drop(_ number: UInt64) {
        change { $0.drop(number) }
    }

    /// Changes the state and calls those who waited for it to settle, outside of the lock.
    private func change(_ body: (inout sending State) -> Void) {
        let settled = shared.withLock { shared -> [@Sendable () -> Void] in
            body(&shared)
            guard shared.board.isSettled else { return [] }
            defer { shared.whenSettled = [] }
            return shared.whenSettled
        }
        for call in settled { call() }
    }
}

extension ProcessLifecycle.State {
    /// Gives a reader that waits its next event, if there is one.
    fileprivate mutating func feed(_ number: UInt64) {
        guard let reader = readers[number], let event = board.take(number) else { return }
        readers[number] = nil
        reader.resume(returning: event)
    }

    fileprivate mutating func drop(_ number: UInt64) {
        board.removeObserver(number)
        readers.removeValue(forKey: number)?.resume(returning: nil)
    }
}
