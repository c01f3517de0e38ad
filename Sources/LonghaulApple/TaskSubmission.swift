#if os(iOS) || os(Linux)
    import BackgroundTasks
    import Foundation
    import LonghaulCore

    /// The submission of requests to the system's scheduler.
    struct TaskSubmission {
        private let hasCompletion: Bool

        init(for app: AppSession) { hasCompletion = app.surroundings.submitsWithCompletion }

        /// `listed` and `mode`: the entries of Info.plist that the request needs.
        func submit(_ request: BGTaskRequest, listed: String, mode: String? = nil) async throws(TransferFailure) {
            if let error = await error(of: request) { throw Self.failure(error, listed, mode) }
        }

        private func error(of request: BGTaskRequest) async -> (any Error)? {
            if #available(iOS 27.0, *), hasCompletion {
                return await withCheckedContinuation { continuation in
                    BGTaskScheduler.shared.submitTaskRequest(request) { continuation.resume(returning: $0) }
                }
            }
            do {
                try BGTaskScheduler.shared.submit(request)
                return nil
            } catch {
                return error
            }
        }

        private static func failure(_ error: any Error, _ listed: String, _ mode: String?) -> TransferFailure {
            switch (error as? BGTaskScheduler.Error)?.code {
            case .notPermitted: notPermitted(listed, mode)
            case .unavailable:
                TransferFailure(
                    .serviceUnavailable,
                    "The system does not start this app in the background. The user can allow it in the settings.")
            case .tooManyPendingTaskRequests:
                TransferFailure(
                    .tooManyPendingTaskRequests,
                    "Too many of the app's requests wait for the system. Cancel one of them, then submit this one again."
                )
            case .immediateRunIneligible:
                TransferFailure(.serviceUnavailable, "The system cannot start continued work now. Try again later.")
            default:
                TransferFailure(
                    .serviceUnavailable, "The system refused the request: \(error.localizedDescription)",
                    origin: .system((error as NSError).code))
            }
        }

        static func notPermitted(_ listed: String, _ mode: String? = nil) -> TransferFailure {
            let other = mode.map { ", or \($0) under UIBackgroundModes" } ?? ""
            return TransferFailure(
                .invalidState,
                "The app's Info.plist lacks \(listed) under BGTaskSchedulerPermittedIdentifiers\(other). Add what is missing."
            )
        }
    }
#endif
