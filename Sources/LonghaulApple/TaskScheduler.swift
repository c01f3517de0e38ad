#if os(iOS) || os(Linux)
    import BackgroundTasks
    import Foundation
    public import Longhaul
    import LonghaulCore
    import Synchronization

    /// Schedules the session's ``BackgroundTasks`` with the system, under two names: the session's identifier with `.refresh`, and with
    /// `.processing`. If the session's identifier does not begin with the app's bundle identifier, the names do: `<bundle
    /// identifier>.<session>.refresh`. List both in the app's Info.plist, under `BGTaskSchedulerPermittedIdentifiers`, and `fetch` and
    /// `processing` under `UIBackgroundModes`.
    ///
    /// ```swift
    /// // While the app is launching:
    /// let scheduler = TaskScheduler(transfers) { tasks throws(TransferFailure) in
    ///     try tasks.register("org.example.storms.noon") { context in try await storms.look(context.session) }
    /// }
    /// try scheduler.register()
    /// // Later:
    /// try await scheduler.submit(.appRefresh("org.example.storms.noon", repeats: .daily(hour: 12)))
    /// ```
    @available(iOSApplicationExtension, unavailable)
    public final class TaskScheduler: Sendable {
        private let app: AppSession
        private let registerHandlers: @Sendable (BackgroundTasks) throws(TransferFailure) -> Void
        /// The session whose handlers are registered.
        private let registered = Mutex<TransferSession?>(nil)
        /// The last of the calls that run the handlers, one after the other.
        private let lastRun = Mutex<Task<Void, Never>?>(nil)

        /// - Parameter registerHandlers: Registers the app's handlers.
        public init(
            _ app: AppSession,
            _ registerHandlers: @escaping @Sendable (BackgroundTasks) throws(TransferFailure) -> Void
        ) {
            self.app = app
            self.registerHandlers = registerHandlers
        }

        var refreshName: String { app.schedulerName + ".refresh" }
        var processingName: String { app.schedulerName + ".processing" }

        /// Registers the app with the system. Call this once, before the launch of the app ends. If a scene has `transferTasks(of:)`, call
        /// ``registerProcessing()`` instead; from iOS 27, an app built with Xcode 27 calls neither.
        ///
        /// Fails with `invalidState` if a name is missing in the app's Info.plist, or if this process has registered it already. Without this
        /// failure, the system would end an app that registers a name twice.
        public func register() throws(TransferFailure) {
            try register(refreshName)
            try registerProcessing()
        }

        /// Registers the app for processing tasks only, like ``register()``. Does nothing if a scene with this scheduler handles them.
        public func registerProcessing() throws(TransferFailure) {
            guard !app.surroundings.taskNames.hasScenes(processingName, with: self) else { return }
            try register(processingName)
        }

        private func register(_ name: String) throws(TransferFailure) {
            guard app.surroundings.taskNames.claim(name) else { throw TaskSubmission.registeredTwice(name) }
            let isPermitted = BGTaskScheduler.shared.register(forTaskWithIdentifier: name, using: nil) { [self] task in
                ScheduledRun(task, limit: app.surroundings.limits.expiration).begin { await self.run() }
            }
            guard isPermitted else {
                app.surroundings.taskNames.release(name)
                throw TaskSubmission.notPermitted(name)
            }
        }

        /// Returns whether Info.plist lists a name.
        func isListed(_ name: String) -> Bool { app.surroundings.permittedTaskNames?.contains(name) ?? true }

        /// Claims a name for scenes. Returns `false` if a call has registered it.
        func claimForScenes(_ name: String) -> Bool { app.surroundings.taskNames.claim(name, forScenesWith: self) }

        /// Runs the due tasks for a scene, whose task is cancelled when the system takes the time back.
        func runForScene() async {
            await BoundedWait.value(grace: app.surroundings.limits.expiration) { await self.run() }
        }

        /// Returns the session's tasks, with the app's handlers. Fails like ``AppSession/open()``, and like the handlers'
        /// registration.
        public func tasks() async throws(TransferFailure) -> BackgroundTasks {
            let session = try await app.open()
            try registered.withLock { (registered) throws(TransferFailure) in
                guard registered !== session else { return }
                try registerHandlers(session.tasks)
                registered = session
            }
            return session.tasks
        }

        /// Submits a request, like ``BackgroundTasks/submit(_:)``, and requests the start from the system.
        public func submit(_ request: BackgroundTaskRequest) async throws(TransferFailure) {
            try await tasks().submit(request)
            try await schedule()
        }

        /// Requests the starts for the session's tasks from the system. Call this after a change that was made elsewhere.
        ///
        /// Fails with `invalidState` if Info.plist lacks a name or a background mode, with `serviceUnavailable` if the user has turned off
        /// background refresh, and with `tooManyPendingTaskRequests` if too many of the app's requests are pending. Tasks then run while
        /// the app is open.
        public func schedule() async throws(TransferFailure) {
            let work = ScheduledWork(try await tasks().statuses())
            try await submit(work.refresh, refreshName, mode: "fetch") { BGAppRefreshTaskRequest(identifier: $0) }
            try await submit(work.processing, processingName, mode: "processing") { name in
                let request = BGProcessingTaskRequest(identifier: name)
                request.requiresNetworkConnectivity = work.processing?.requiresNetworkConnectivity ?? false
                request.requiresExternalPower = work.processing?.requiresExternalPower ?? false
                return request
            }
        }

        private func submit(
            _ wanted: ScheduledWork.Request?, _ name: String, mode: String, make: (String) -> BGTaskRequest
        ) async throws(TransferFailure) {
            guard let wanted else { return BGTaskScheduler.shared.cancel(taskRequestWithIdentifier: name) }
            let request = make(name)
            request.earliestBeginDate = wanted.date.date
            try await TaskSubmission(for: app).submit(request, listed: name, mode: mode)
        }

        /// Runs the due tasks while the app is open, such as one whose time the system has missed, and requests the next start. If the
        /// system has started the app for them at the same time, the call runs what is left afterwards.
        ///
        /// Fails like ``schedule()``, and like `BackgroundTasks.runDue()`.
        public func runDue() async throws(TransferFailure) {
            let tasks = try await tasks()
            let failure = await inTurn { () -> TransferFailure? in
                do throws(TransferFailure) { try await tasks.runDue() } catch { return error }
                return nil
            }
            if let failure { throw failure }
            try await schedule()
        }

        /// Runs `body` after the calls before: the handlers of a session run for one caller at a time.
        private func inTurn<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value {
            let task = lastRun.withLock { last in
                let task = Task { [last] in
                    await last?.value
                    return await body()
                }
                last = Task { _ = await task.value }
                return task
            }
            return await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
        }

        /// Runs the due tasks in the system's background time. Requests the next start first, because an app that is
        /// killed meanwhile cannot request it. Returns whether all tasks succeeded.
        func run() async -> Bool {
            let isSuccess = await inTurn { await self.runDueInLentTime() }
            // Leaves the transfers that the handlers started to the system before returning.
            if let session = try? await app.open() { await app.prepareForSuspension(session, by: .now + .seconds(3)) }
            return isSuccess
        }

        private func runDueInLentTime() async -> Bool {
            do throws(TransferFailure) {
                let tasks = try await tasks()
                // If scheduling fails now, it is repeated after the run.
                try? await schedule()
                try await tasks.runDueInLentTime()
                // A separate task: a run that was cancelled requests the next start as well.
                let isScheduled = await Task { (try? await schedule()) != nil }.value
                return isScheduled && !Task.isCancelled
            } catch {
                return false
            }
        }
    }

    /// One start by the system, until exactly one call to `setTaskCompleted(success:)`.
    ///
    /// `@unchecked Sendable`: the task is not marked as Sendable; it is used in `begin`, on the thread of the system's
    /// call, and once more when its work has ended, which the system accepts from any thread.
    final class ScheduledRun: @unchecked Sendable {
        private let task: BGTask
        private let limit: Duration

        /// `limit`: how long the work may take to end when the system takes the time back.
        init(_ task: BGTask, limit: Duration) {
            self.task = task
            self.limit = limit
        }

        func begin(_ body: @escaping @Sendable () async -> Bool) {
            let work = Task {
                let isSuccess = await BoundedWait.value(grace: limit, of: body)
                task.setTaskCompleted(success: isSuccess ?? false)
            }
            task.expirationHandler = { work.cancel() }
        }
    }
#endif
