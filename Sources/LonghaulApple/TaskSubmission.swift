#if os(iOS) || os(Linux)
    import BackgroundTasks
    import Foundation
    import LonghaulCore

    /// The submission of requests to the system's scheduler.
    struct TaskSubmission {
        private let hasCompletion: Bool
        private let answerTime: Duration

        init(for app: AppSession) {
            hasCompletion = app.surroundings.submitsWithCompletion
            answerTime = app.surroundings.limits.answer
        }

        /// `listed` and `mode`: the entries of Info.plist that the request needs.
        func submit(_ request: BGTaskRequest, listed: String, mode: String? = nil) async throws(TransferFailure) {
            if let error = await error(of: request) { throw Self.failure(error, listed, mode) }
        }

        private func error(of request: BGTaskRequest) async -> (any Error)? {
            // Earlier SDKs, such as that of Xcode 26, lack the call.
            #if os(Linux) || canImport(SwiftUI, _version: 8)
                if #available(iOS 27.0, *), hasCompletion {
                    let (answers, feed) = AsyncStream<(any Error)?>.makeStream()
                    BGTaskScheduler.shared.submitTaskRequest(request) { feed.yield($0) }
                    let answer = await BoundedWait.value(by: .now + answerTime) { () -> (any Error)? in
                        for await answer in answers { return answer }
                        return Self.unanswered
                    }
                    return answer ?? Self.unanswered
                }
            #endif
            do {
                try BGTaskScheduler.shared.submit(request)
                return nil
            } catch {
                return error
            }
        }

        private static let unanswered = TransferFailure(
            .serviceUnavailable, "The system has not answered the request for background time. Try again later.")

        private static func failure(_ error: any Error, _ listed: String, _ mode: String?) -> TransferFailure {
            if let failure = error as? TransferFailure { return failure }
            return switch (error as? BGTaskScheduler.Error)?.code {
            case .notPermitted: notPermitted(listed, mode)
            case .unavailable:
                TransferFailure(
                    .serviceUnavailable,
                    "The system does not start this app in the background. The user can allow it in the settings. The simulator never does: use a device."
                )
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

        static func registeredTwice(_ name: String) -> TransferFailure {
            TransferFailure(
                .invalidState,
                "This process has already registered \(name) with the system. Register each session once: either by a call or by a scene."
            )
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
