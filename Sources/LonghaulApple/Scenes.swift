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
        /// ``TaskScheduler/registerProcessing()`` in place of ``TaskScheduler/register()``.
        public nonisolated func transferTasks(of scheduler: TaskScheduler) -> some Scene {
            backgroundTask(.appRefresh(scheduler.refreshName)) { _ = await scheduler.run() }
        }
    }
#endif
