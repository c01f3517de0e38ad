import Foundation
import Longhaul
import LonghaulCore
import LonghaulURLSession

/// Launches of the app for events of the system's session.
@available(iOSApplicationExtension, unavailable)
extension AppSession {
    /// How long the completion handler may be delayed; the system allows about thirty seconds.
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
        // The system's handler is not marked as Sendable; it is called only on the main thread.
        nonisolated(unsafe) let handler = completionHandler
        let desk = LaunchCompletion { handler() }
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
        // A released session runs again after any call.
        if carrier.runtime == nil { _ = try? await session.rules() }
        await carrier.hearEverything(of: identifier)
        // Moves downloaded files into place, and passes waiting transfers to the system before the app is suspended.
        await prepareForSuspension(session, by: deadline)
        guard let onEvents = options.onEvents else { return }
        await onEvents(session)
        // Passes the transfers that the app started to the system as well.
        await prepareForSuspension(session, by: deadline)
    }

    /// Leaves all transfers to the system: an app in the background is about to be suspended.
    func prepareForSuspension(_ session: TransferSession, by deadline: ContinuousClock.Instant) async {
        let isAway: @Sendable () -> Bool = { [carrier] in carrier.isBehind }
        if isAway() { await CarrierLanes.leaveSession(session, by: deadline, while: isAway) }
    }

    /// Waits for the session's files to be readable: they are not before the device was unlocked for the first time.
    private func openWhenReadable(by deadline: ContinuousClock.Instant) async -> TransferSession? {
        while true {
            if let session = try? await open() { return session }
            guard ContinuousClock.now < deadline, await !ProtectedData.isAvailable else { return nil }
            await ProtectedData.wait(until: deadline)
        }
    }
}
