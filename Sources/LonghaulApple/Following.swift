public import Longhaul
import LonghaulCore
import Synchronization

extension AppSession {
    /// Ties the session to the lifecycle of the app for the rest of the process, like ``follow(_:onHandoff:)``. Call it while the app is
    /// launching. A second call has no effect.
    ///
    /// ```swift
    /// init() {
    ///     transfers.followApp()
    /// }
    /// ```
    ///
    /// - Returns: The lifecycle of the app.
    @available(iOSApplicationExtension, unavailable)
    @MainActor @discardableResult
    public func followApp(
        onHandoff: @escaping @Sendable (HandoffOutcome) async -> Void = { _ in }
    ) -> ProcessLifecycle {
        appLife.withLock { life in
            if let life { return life.lifecycle }
            let lifecycle = ProcessLifecycle()
            #if os(macOS)
                let source = Task { await lifecycle.run(DesktopLifecycle()) }
            #else
                let source = Task { await lifecycle.run(AppLifecycle()) }
            #endif
            let follower = Task { [self] in await follow(lifecycle, onHandoff: onHandoff) }
            life = AppLife(lifecycle: lifecycle, tasks: [source, follower])
            return lifecycle
        }
    }

    /// Ends what ``followApp(onHandoff:)`` has started, as the end of the process does. Returns when the session observes nothing any more.
    package func endAppLife() async {
        let life = appLife.withLock { life in
            defer { life = nil }
            return life
        }
        for task in life?.tasks ?? [] { task.cancel() }
        await life?.tasks.first?.value
    }

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

/// What a session follows for the rest of the process.
struct AppLife {
    let lifecycle: ProcessLifecycle
    let tasks: [Task<Void, Never>]
}
