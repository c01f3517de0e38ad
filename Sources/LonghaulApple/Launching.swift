import Foundation
import Longhaul
import LonghaulCore
import LonghaulURLSession
import Synchronization

/// Launches of the app for events of the system's session.
@available(iOSApplicationExtension, unavailable)
extension AppSession {
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

    /// Handles a scene's `backgroundTask(.urlSession(_:))`. The system may suspend the app when the call returns. The call returns after
    /// 25 seconds at the latest, and at once when its task is cancelled. The system's log then states what the launch waited for.
    public func handleEvents(of identifier: String) async {
        let step = LaunchStep()
        let deadline = ContinuousClock.now + surroundings.limits.launch
        let isDone: Void? = await BoundedWait.value(by: deadline) { [self] in
            await processEvents(of: identifier, step, by: deadline)
        }
        guard isDone == nil else { return }
        surroundings.log(
            "Longhaul: a launch for \(identifier) \(Task.isCancelled ? "was cancelled" : "took too long") while it \(step.name)."
        )
    }

    private func processEvents(of identifier: String, _ step: LaunchStep, by deadline: ContinuousClock.Instant) async {
        step.begin("opened the session")
        guard let session = await openWhenReadable(by: deadline) else { return }
        // A released session runs again after any call.
        if carrier.runtime == nil { _ = try? await session.rules() }
        step.begin("waited for the system's events")
        // A part of the time is reserved for leaving.
        let middle = deadline - surroundings.limits.launch / 5
        let isComplete: Void? = await BoundedWait.value(by: middle) { [carrier] in
            await carrier.hearEverything(of: identifier)
        }
        if isComplete == nil, !Task.isCancelled {
            surroundings.log("Longhaul: the system has not reported all events of \(identifier).")
        }
        // Moves downloaded files into place, and passes waiting transfers to the system before the app is suspended.
        step.begin("passed transfers to the system")
        await prepareForSuspension(session, by: deadline)
        guard let onEvents = options.onEvents, !Task.isCancelled else { return }
        step.begin("ran onEvents")
        let hasReturned: Void? = await BoundedWait.value(by: middle, grace: surroundings.limits.launch / 10) {
            await onEvents(session)
        }
        if hasReturned == nil, !Task.isCancelled { surroundings.log("Longhaul: onEvents has not returned in time.") }
        // Passes the transfers that the app started to the system as well.
        step.begin("passed transfers to the system")
        await prepareForSuspension(session, by: deadline)
    }

    /// Leaves all transfers to the system: an app in the background is about to be suspended.
    func prepareForSuspension(_ session: TransferSession, by deadline: ContinuousClock.Instant) async {
        let isAway: @Sendable () -> Bool = { [carrier] in carrier.isBehind }
        guard isAway() else { return }
        // A separate task: a mover that is cancelled takes the transfers back, as if the app had returned.
        await Task { await CarrierLanes.leaveSession(session, by: deadline, while: isAway) }.value
    }

    /// Waits for the session's files to be readable: they are not before the device was unlocked for the first time.
    private func openWhenReadable(by deadline: ContinuousClock.Instant) async -> TransferSession? {
        while !Task.isCancelled {
            // Read first: the user may unlock the device while the opening fails.
            let isReadable = await ProtectedData.isAvailable
            if let session = try? await open() { return session }
            guard ContinuousClock.now < deadline, !isReadable else { break }
            await ProtectedData.wait(until: deadline)
        }
        return nil
    }
}

/// The present step of a launch, for the log.
private final class LaunchStep: Sendable {
    private let state = Mutex("")

    var name: String { state.withLock { $0 } }

    /// Keeps the step in which the launch was cancelled.
    func begin(_ name: String) {
        if !Task.isCancelled { state.withLock { $0 = name } }
    }
}
