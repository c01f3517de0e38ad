/// Where a lifecycle learns what happens: the process's signals, an app framework, or the program itself.
public protocol LifecycleSource: Sendable {
    /// Tells the lifecycle each new state with `enter`, until the task is cancelled. A source that can end the process
    /// does so when the lifecycle has settled, or at the deadline.
    func run(_ lifecycle: ProcessLifecycle) async
}

/// A source that is told by the program: for tests, and for programs that learn of their life in their own way.
///
/// It never ends the process: who enters `terminating` by hand also ends it, when `whenSettled` is called or at the
/// lifecycle's deadline.
public final class ManualLifecycle: LifecycleSource {
    private struct Step {
        var state: LifecycleState
        var whenSettled: @Sendable () -> Void
    }

    private let steps: AsyncStream<Step>
    private let feed: AsyncStream<Step>.Continuation

    /// Makes a source that has nothing to tell yet.
    public init() {
        (steps, feed) = AsyncStream<Step>.makeStream()
    }

    /// Tells a state. What is told before the source runs is kept.
    public func enter(_ state: LifecycleState, whenSettled: @escaping @Sendable () -> Void = {}) {
        feed.yield(Step(state: state, whenSettled: whenSettled))
    }

    /// Passes on what it is told, until the task is cancelled.
    public func run(_ lifecycle: ProcessLifecycle) async {
        for await step in steps { lifecycle.enter(step.state, whenSettled: step.whenSettled) }
    }
}
