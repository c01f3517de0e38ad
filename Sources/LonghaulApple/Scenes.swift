#if !os(macOS)
    public import SwiftUI

    extension Scene {
        /// Takes in what the system starts the app for: the ends of transfers that it has carried. With it the app needs no
        /// delegate for that.
        ///
        /// ```swift
        /// var body: some Scene {
        ///     WindowGroup { Films() }.transferEvents(of: films)
        /// }
        /// ```
        public nonisolated func transferEvents(of app: AppSession) -> some Scene {
            let (urgent, discretionary) = (app.backgroundIdentifiers[0], app.backgroundIdentifiers[1])
            return backgroundTask(.urlSession(urgent)) { await app.takeEvents(of: urgent) }
                .backgroundTask(.urlSession(discretionary)) { await app.takeEvents(of: discretionary) }
        }

        /// Runs the session's refresh tasks when the system starts the app for them, in the place of
        /// ``TaskScheduler/register()``. Processing tasks have no scene: they take the registration.
        public nonisolated func transferTasks(of scheduler: TaskScheduler) -> some Scene {
            backgroundTask(.appRefresh(scheduler.refreshName)) { _ = await scheduler.run() }
        }
    }
#endif
