public import Longhaul
import LonghaulCore

extension AppSession {
    /// Joins the session to the life of the app, until the task is cancelled.
    ///
    /// ```swift
    /// await withDiscardingTaskGroup { group in
    ///     group.addTask { await transfers.follow(lifecycle) }
    ///     group.addTask { await lifecycle.run(AppLifecycle()) }
    /// }
    /// ```
    ///
    /// When the app enters the background, what can end in the time that is left ends in the app; everything else is the system's
    /// when that time is over. A body that is out is not sent again. A session that cannot be opened is looked for again
    /// when the app is in front.
    public func follow(
        _ lifecycle: ProcessLifecycle, onHandoff: @escaping @Sendable (HandoffReport) async -> Void = { _ in }
    ) async {
        while !Task.isCancelled {
            if let session = try? await open() { return await session.follow(lifecycle, onHandoff: onHandoff) }
            await Self.waitForFront(lifecycle)
        }
    }

    /// An observer that nobody reads would hold the app awake: there is none when this returns.
    private static func waitForFront(_ lifecycle: ProcessLifecycle) async {
        for await event in lifecycle.events() where event == .didBecomeActive || event == .willEnterForeground {
            return
        }
    }
}
