#if os(macOS) || os(Linux)
    public import AppKit
    import Foundation
    public import Longhaul
    import Synchronization

    /// The lifecycle of an app as AppKit reports it. An app on a Mac is not suspended, so it never enters the background.
    ///
    /// ```swift
    /// func applicationShouldTerminate(_ sender: NSApplication) -> NSApplication.TerminateReply {
    ///     DesktopLifecycle.terminate(lifecycle)
    /// }
    /// ```
    public struct DesktopLifecycle: ProcessLifecycle.Source {
        /// Creates the source.
        public init() {}

        /// Follows the app's notifications until the task is cancelled.
        public func run(_ lifecycle: ProcessLifecycle) async {
            let tokens = await Self.follow(lifecycle)
            let (end, feed) = AsyncStream<Never>.makeStream()
            await withTaskCancellationHandler {
                // Ended by the cancellation alone.
                for await _ in end {}
            } onCancel: {
                feed.finish()
            }
            for token in tokens { token.end() }
        }

        @MainActor private static func follow(_ lifecycle: ProcessLifecycle) -> [NotificationToken] {
            let states = [
                (NSApplication.didBecomeActiveNotification, LifecycleState.active),
                (NSApplication.willResignActiveNotification, .inactive),
            ]
            if NSApplication.shared.isActive { lifecycle.enter(.active) }
            return states.map { name, state in
                NotificationToken(
                    NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in
                        lifecycle.enter(state)
                    })
            }
        }

        /// Returns the result for `applicationShouldTerminate(_:)`. The app terminates when its observers are done, or at the end of
        /// the lifecycle's grace period. The main thread does not block.
        @MainActor public static func terminate(_ lifecycle: ProcessLifecycle) -> NSApplication.TerminateReply {
            let isAnswered = Mark()
            let answer: @MainActor @Sendable () -> Void = {
                guard !isAnswered.isSet else { return }
                isAnswered.set()
                NSApplication.shared.reply(toApplicationShouldTerminate: true)
            }
            let deadline = lifecycle.enter(.terminating) { Task { @MainActor in answer() } }
            Task { @MainActor in
                // Nothing cancels this task.
                try? await Task.sleep(until: deadline, clock: .continuous)
                answer()
            }
            return .terminateLater
        }
    }
#endif
