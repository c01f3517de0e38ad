#if os(iOS) || os(Linux)
    import BackgroundTasks
    import Foundation
    public import Longhaul
    import LonghaulCore
    import Synchronization

    /// Work that the user started in the app and that continues in the background. The system shows its progress.
    @available(iOS 26.0, *)
    public final class ContinuedWork: Sendable {
        private let app: AppSession
        /// The number of works in this process, for unique names.
        private let count = Mutex(0)

        /// Creates the work of a session. List its name, which begins with the app's bundle identifier and ends with `.continued.*`, in
        /// Info.plist, under `BGTaskSchedulerPermittedIdentifiers`.
        public init(_ app: AppSession) { self.app = app }

        /// Requests that the system keep the app running until the current transfers have ended. Call it in the foreground, in
        /// response to an action of the user. If the system or the user ends the work, the transfers continue like those of any app in
        /// the background.
        ///
        /// Fails with `invalidState` if the name is missing in Info.plist, with `serviceUnavailable` if the system cannot start the
        /// work now, and with `tooManyPendingTaskRequests` if too many requests are pending.
        @available(iOSApplicationExtension, unavailable)
        @available(macCatalyst, unavailable)
        public func begin(title: String, subtitle: String, group: String? = nil) async throws(TransferFailure) {
            let session = try await app.open()
            let number = count.withLock { count in
                count += 1
                return count
            }
            let names = app.schedulerName + ".continued"
            let name = "\(names).\(number)"
            let app = app
            let isPermitted = BGTaskScheduler.shared.register(forTaskWithIdentifier: name, using: nil) { task in
                guard let task = task as? BGContinuedProcessingTask else {
                    return task.setTaskCompleted(success: false)
                }
                let progress = task.progress
                ScheduledRun(task).begin {
                    let hasEnded = await Self.follow(session, group, progress)
                    if !hasEnded { await app.prepareForSuspension(session, by: .now + .seconds(5)) }
                    return hasEnded
                }
            }
            guard isPermitted else { throw TaskSubmission.notPermitted(names + ".*") }
            let request = BGContinuedProcessingTaskRequest(identifier: name, title: title, subtitle: subtitle)
            request.strategy = .fail
            try await TaskSubmission(for: app).submit(request, listed: names + ".*")
        }

        /// Reports the transfers' progress until all have ended; `false` if the system ended the work first.
        private static func follow(_ session: TransferSession, _ group: String?, _ progress: Progress) async -> Bool {
            var list = TransferList()
            do throws(TransferFailure) {
                for try await change in session.changes(matching: group.map { .group($0) } ?? .all) {
                    list.apply(change)
                    // In thousandths of a transfer; active transfers count by their bytes.
                    progress.totalUnitCount = Int64(list.transfers.count) * 1_000
                    progress.completedUnitCount = list.transfers.reduce(0) { $0 + $1.thousandths }
                    if GroupProgress(of: list.transfers).isEnded { return true }
                }
            } catch {
                // A closed session has no progress to report.
            }
            return false
        }
    }

    extension TransferSnapshot {
        fileprivate var thousandths: Int64 {
            state.isEnded ? 1_000 : Int64((fractionCompleted ?? 0) * 1_000)
        }
    }
#endif
