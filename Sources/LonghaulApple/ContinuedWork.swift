#if !os(macOS)
    import BackgroundTasks
    import Foundation
    public import Longhaul
    import LonghaulCore
    import Synchronization

    /// Work that a person has begun in the app and that goes on when the app is left, with its progress shown by the system.
    @available(iOS 26.0, *)
    public final class ContinuedWork: Sendable {
        private let app: AppSession
        /// How many there were in this process, so that each has a name of its own.
        private let count = Mutex(0)

        /// The name of the session with `.continued.*` belongs into Info.plist, under `BGTaskSchedulerPermittedIdentifiers`.
        public init(_ app: AppSession) { self.app = app }

        /// Has the system keep the app running until the transfers that are there have ended; call it in the foreground, for
        /// something that a person has asked for. When the system or the person ends it, the transfers go on as they do in an app
        /// that is left.
        ///
        /// Fails with `invalidState` when the name is missing in Info.plist, and with `serviceUnavailable` when the system has no
        /// room for it now.
        public func begin(title: String, subtitle: String, group: String? = nil) async throws(TransferFailure) {
            let session = try await app.open()
            let number = count.withLock { count in
                count += 1
                return count
            }
            let name = "\(app.identifier).continued.\(number)"
            let app = app
            let isPermitted = BGTaskScheduler.shared.register(forTaskWithIdentifier: name, using: nil) { task in
                guard let task = task as? BGContinuedProcessingTask else {
                    return task.setTaskCompleted(success: false)
                }
                let progress = task.progress
                ScheduledRun(task).begin {
                    let hasEnded = await Self.follow(session, group, progress)
                    if !hasEnded { await app.leave(session, by: .now + .seconds(5)) }
                    return hasEnded
                }
            }
            guard isPermitted else {
                throw TransferFailure(
                    .invalidState,
                    "The app's Info.plist lacks \(app.identifier).continued.* under BGTaskSchedulerPermittedIdentifiers. Add it."
                )
            }
            let request = BGContinuedProcessingTaskRequest(identifier: name, title: title, subtitle: subtitle)
            request.strategy = .fail
            do {
                try BGTaskScheduler.shared.submit(request)
            } catch {
                throw TransferFailure(.serviceUnavailable, "The system has no room for continued work now.")
            }
        }

        /// Tells how far the transfers are, until all of them have ended; `false` when the time was taken back before.
        private static func follow(_ session: TransferSession, _ group: String?, _ progress: Progress) async -> Bool {
            var list = TransferList()
            do throws(TransferFailure) {
                for try await change in session.changes(matching: group.map { .group($0) } ?? .all) {
                    list.apply(change)
                    // In thousandths of a transfer, of which those under way are counted by their bytes.
                    progress.totalUnitCount = Int64(list.transfers.count) * 1_000
                    progress.completedUnitCount = list.transfers.reduce(0) { $0 + $1.thousandths }
                    if GroupProgress(of: list.transfers).isEnded { return true }
                }
            } catch {
                // A session that is gone has nothing to follow.
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
