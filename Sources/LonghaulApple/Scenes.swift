#if os(iOS) || os(Linux)
    public import SwiftUI

    @available(iOSApplicationExtension, unavailable)
    extension Scene {
        /// Handles the launches of the app by the system when transfers have ended. The app needs no delegate for them.
        ///
        /// ```swift
        /// var body: some Scene {
        ///     WindowGroup { Films() }.transferEvents(of: films)
        /// }
        /// ```
        public nonisolated func transferEvents(of app: AppSession) -> some Scene {
            let (urgent, discretionary) = (app.backgroundIdentifiers[0], app.backgroundIdentifiers[1])
            return backgroundTask(.urlSession(urgent)) { await app.handleEvents(of: urgent) }
                .backgroundTask(.urlSession(discretionary)) { await app.handleEvents(of: discretionary) }
        }

        /// Runs the session's refresh tasks when the system starts the app for them. It registers their name, so the app calls
        /// ``TaskScheduler/registerProcessing()`` in place of ``TaskScheduler/register()``. If the app has called `register()` before, that
        /// call handles the refresh tasks.
        public nonisolated func transferTasks(of scheduler: TaskScheduler) -> some Scene {
            let name = scheduler.refreshName
            // The system ends an app that registers a name twice, and it never starts the app for a session that does not exist.
            let task: BackgroundTask<Void, Void> =
                scheduler.claimRefreshForScenes() ? .appRefresh(name) : .urlSession(name + ".registered")
            return backgroundTask(task) { await scheduler.runForScene() }
        }
    }
#endif
