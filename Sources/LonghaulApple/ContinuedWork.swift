#if os(iOS) || os(Linux)
    import BackgroundTasks
    import Foundation
    public import Longhaul
    import LonghaulCore

    /// Work that the user started in the app and that continues in the background. The system shows its progress.
    @available(iOS 26.0, *)
    public final class ContinuedWork: Sendable {
        private let app: AppSession

        /// Creates the work of a session. List its name, which begins with the app's bundle identifier and ends with `.continued.*`, in
        /// Info.plist, under `BGTaskSchedulerPermittedIdentifiers`.
        public init(_ app: AppSession) { self.app = app }

        /// Requests that the system keep the app running until the current transfers have ended. Call it in the foreground, in
        /// response to an action of the user. If the system or the user ends the work, the transfers continue like those of any app in
        /// the background. The system shows the title, the subtitle, and the progress.
        ///
        /// - Parameter describe: Returns the title and the subtitle for the present transfers. Without it, the title stays, and the subtitle
        ///   becomes the name of the active transfer, after the numbers of ended and of all transfers if there are several (`2/5 film.mp4`).
        ///
        /// Fails with `invalidState` if the name is missing in Info.plist, with `serviceUnavailable` if the system cannot start the
        /// work now, and with `tooManyPendingTaskRequests` if too many requests are pending.
        @available(iOSApplicationExtension, unavailable)
        @available(macCatalyst, unavailable)
        public func begin(
            title: String, subtitle: String, group: String? = nil,
            describe: (@Sendable ([TransferSnapshot]) -> (title: String, subtitle: String))? = nil
        ) async throws(TransferFailure) {
            let session = try await app.open()
            let names = app.schedulerName + ".continued"
            // A name is registered only once in a process, and the system may still have the request of an earlier launch.
            let name = "\(names).\(UUID())"
            let app = app
            let isPermitted = BGTaskScheduler.shared.register(forTaskWithIdentifier: name, using: nil) { task in
                guard let task = task as? BGContinuedProcessingTask else {
                    return task.setTaskCompleted(success: false)
                }
                let display = WorkDisplay(task, describe ?? { (title, WorkProgress.subtitle(of: $0) ?? subtitle) })
                ScheduledRun(task, limit: app.surroundings.limits.expiration).begin {
                    let hasEnded = await Self.follow(session, group, display)
                    if !hasEnded { await app.prepareForSuspension(session, by: .now + .seconds(3)) }
                    return hasEnded
                }
            }
            guard isPermitted else { throw TaskSubmission.notPermitted(names + ".*") }
            let request = BGContinuedProcessingTaskRequest(identifier: name, title: title, subtitle: subtitle)
            request.strategy = .fail
            try await TaskSubmission(for: app).submit(request, listed: names + ".*")
        }

        /// Reports the transfers' progress until all have ended; `false` if the system ended the work first.
        private static func follow(_ session: TransferSession, _ group: String?, _ display: WorkDisplay) async -> Bool {
            var list = TransferList()
            do throws(TransferFailure) {
                // While bytes move, there is a change about ten times a second.
                for try await change in session.changes(matching: group.map { .group($0) } ?? .all) {
                    list.apply(change)
                    display.show(list.transfers)
                    if GroupProgress(of: list.transfers).isEnded { return true }
                }
            } catch {
                // A closed session has no progress to report.
            }
            return false
        }
    }

    /// The system's display of continued work.
    ///
    /// `@unchecked Sendable`: the task is not marked as Sendable. Only the Swift task that follows the transfers uses the display.
    @available(iOS 26.0, *)
    private struct WorkDisplay: @unchecked Sendable {
        let task: BGContinuedProcessingTask
        let describe: @Sendable ([TransferSnapshot]) -> (title: String, subtitle: String)

        init(
            _ task: BGContinuedProcessingTask,
            _ describe: @escaping @Sendable ([TransferSnapshot]) -> (title: String, subtitle: String)
        ) {
            self.task = task
            self.describe = describe
        }

        func show(_ transfers: [TransferSnapshot]) {
            let progress = WorkProgress(transfers)
            task.progress.totalUnitCount = progress.total
            task.progress.completedUnitCount = progress.completed
            let (title, subtitle) = describe(transfers)
            if (title, subtitle) != (task.title, task.subtitle) { task.updateTitle(title, subtitle: subtitle) }
        }
    }
#endif
