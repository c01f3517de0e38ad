public import Longhaul
import LonghaulCore

extension AppSession {
    /// Ties the session to the lifecycle of the app, until the task is cancelled.
    ///
    /// ```swift
    /// await withDiscardingTaskGroup { group in
    ///     group.addTask { await transfers.follow(lifecycle) }
    ///     group.addTask { await lifecycle.run(AppLifecycle()) }
    /// }
    /// ```
    ///
    /// When the app enters the background, transfers that can finish in the remaining time finish in the app, and the system continues the
    /// others. A body that has been sent is not sent again. A session that cannot be opened is opened when the app returns to the
    /// foreground.
    public func follow(
        _ lifecycle: ProcessLifecycle, onHandoff: @escaping @Sendable (HandoffOutcome) async -> Void = { _ in }
    ) async {
        await follow(lifecycle) { (report: HandoffReport) in await onHandoff(report.outcome) }
    }

    package func follow(
        _ lifecycle: ProcessLifecycle, reporting: @escaping @Sendable (HandoffReport) async -> Void
    ) async {
        while !Task.isCancelled {
            if let session = try? await open() { return await session.follow(lifecycle, reporting: reporting) }
            await Self.waitForFront(lifecycle)
        }
    }

    /// The observer ends when this returns: an unread observer would keep the app awake.
    private static func waitForFront(_ lifecycle: ProcessLifecycle) async {
        for await event in lifecycle.events() where event == .didBecomeActive || event == .willEnterForeground {
            return
        }
    }
}
