import Foundation
import Longhaul
import LonghaulCore
import LonghaulURLSession

/// The app was started, or woken, because the system's session has news.
extension AppSession {
    /// How long the system may be kept waiting for the completion handler; it allows some thirty seconds.
    static let launchTime = Duration.seconds(25)

    /// Handles `application(_:handleEventsForBackgroundURLSession:completionHandler:)`. It opens the session, processes the events,
    /// and gives the system the remaining transfers. Then it calls the handler once, on the main thread.
    ///
    /// - Returns: Whether the identifier belongs to this session. Otherwise the handler is not called.
    @MainActor @discardableResult
    public func handleEvents(
        forBackgroundURLSession identifier: String, completionHandler: @escaping () -> Void
    ) -> Bool {
        guard backgroundIdentifiers.contains(identifier) else { return false }
        // The system's handler is not marked as Sendable; it is called on the main thread alone.
        nonisolated(unsafe) let handler = completionHandler
        let desk = LaunchDesk { handler() }
        Task {
            await handleEvents(of: identifier)
            desk.finish()
        }
        return true
    }

    /// Handles a scene's `backgroundTask(.urlSession(_:))`. The system may suspend the app when the call returns.
    public func handleEvents(of identifier: String) async {
        let deadline = ContinuousClock.now + Self.launchTime
        guard let session = await openWhenReadable(by: deadline) else { return }
        // One that was let go of runs again when it is asked something.
        if carrier.runtime == nil { _ = try? await session.rules() }
        await carrier.hearEverything(of: identifier)
        // Files that have come are put in their places here, and what waits is the system's before the app sleeps again.
        await leave(session, by: deadline)
        guard let onEvents = options.onEvents else { return }
        await onEvents(session)
        // What it has begun is the system's as well.
        await leave(session, by: deadline)
    }

    /// An app that nobody sees is about to stand still: nothing may be left to this process.
    func leave(_ session: TransferSession, by deadline: ContinuousClock.Instant) async {
        let isAway: @Sendable () -> Bool = { [carrier] in carrier.isBehind }
        if isAway() { await CarrierLanes.leave(session, by: deadline, while: isAway) }
    }

    /// Before the device was unlocked for the first time the session's files cannot be read.
    private func openWhenReadable(by deadline: ContinuousClock.Instant) async -> TransferSession? {
        while true {
            if let session = try? await open() { return session }
            guard ContinuousClock.now < deadline, await !ProtectedData.isAvailable else { return nil }
            await ProtectedData.wait(until: deadline)
        }
    }
}
