import LonghaulCore

/// Announces that the app leaves, for notifications to the user. If the app must not hold the session's lock meanwhile,
/// also closes the session.
struct PresentMover: SessionMover {
    private let mover: any SessionMover
    private let backend: MovingBackend
    private let letsGo: Bool

    init(_ mover: any SessionMover, _ backend: MovingBackend, letsGo: Bool) {
        self.mover = mover
        self.backend = backend
        self.letsGo = letsGo
    }

    func handOver(
        by deadline: ContinuousClock.Instant, while isWanted: @escaping @Sendable () -> Bool
    ) async -> HandoffReport {
        let report = await mover.handOver(by: deadline, while: isWanted)
        guard isWanted(), !Task.isCancelled, let session = await backend.present else { return report }
        session.setPresence(false)
        await waitForNotice(in: session, until: deadline)
        if letsGo, isWanted() { await backend.release() }
        return report
    }

    func interrupt() async { await mover.interrupt() }

    func comeBack() async -> HandoffReport {
        // Reopens a session that was released.
        _ = await backend.comeBack()
        let report = await mover.comeBack()
        await backend.present?.setPresence(true)
        return report
    }

    /// Waits until the app has been away long enough for the notification about background transfers: a suspended process cannot show it.
    private func waitForNotice(in session: InProcessBackend, until end: ContinuousClock.Instant) async {
        guard let status = try? await session.notifications(.status), status.settings != nil else { return }
        // Cut short if the task is cancelled.
        try? await Task.sleep(until: min(end, .now + .milliseconds(1_100)), clock: .continuous)
    }
}

extension MovingBackend {
    /// Releases the session. It is reopened by the next call, or when the app is in front.
    func release() async {
        await callLock.beginMove()
        defer { callLock.endMove() }
        guard case .here(let session) = place else { return }
        await session.close()
        move(.nowhere)
    }
}

extension CarrierLanes {
    /// Leaves a session as an app does that was started in the background and is about to be suspended.
    package static func leaveSession(
        _ session: TransferSession, by deadline: ContinuousClock.Instant, while isWanted: @escaping @Sendable () -> Bool
    ) async {
        _ = await session.mover.handOver(by: deadline, while: isWanted)
    }
}
