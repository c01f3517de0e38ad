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

        /// Runs the session's tasks when the system starts the app for them. It registers their names, so the app does not call
        /// ``TaskScheduler/register()``. Before iOS 27, and in an app built with Xcode 26, scenes cannot handle processing tasks: call
        /// ``TaskScheduler/registerProcessing()`` as well. A call before the first scene handles its tasks itself. A scene does not register
        /// a processing task whose name is missing in the app's Info.plist.
        public nonisolated func transferTasks(of scheduler: TaskScheduler) -> some Scene {
            backgroundTask(refreshTask(of: scheduler)) { await scheduler.runForScene() }
                .backgroundTask(processingTask(of: scheduler)) { await scheduler.runForScene() }
        }

        private nonisolated func refreshTask(of scheduler: TaskScheduler) -> BackgroundTask<Void, Void> {
            let name = scheduler.refreshName
            return scheduler.claimForScenes(name) ? .appRefresh(name) : registeredTask(name)
        }

        private nonisolated func processingTask(of scheduler: TaskScheduler) -> BackgroundTask<Void, Void> {
            let name = scheduler.processingName
            // Earlier SDKs, such as that of Xcode 26, lack the task.
            #if os(Linux) || canImport(SwiftUI, _version: 8)
                // An app with refresh tasks only lists no other name.
                if #available(iOS 27.0, *), scheduler.isListed(name), scheduler.claimForScenes(name) {
                    return .processingTask(name)
                }
            #endif
            return registeredTask(name)
        }

        /// A task that never runs. The system ends an app that registers a name twice, and it never starts the app for a session that
        /// does not exist.
        private nonisolated func registeredTask(_ name: String) -> BackgroundTask<Void, Void> {
            .urlSession(name + ".registered")
        }
    }
#endif
