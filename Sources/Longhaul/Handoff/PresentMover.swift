import LonghaulCore

/// Says of an app that leaves what a person has to be told and what others may have: that the app is away, and, where it must be so, that
/// nobody has the session.
struct PresentMover: SessionMover {
    private let mover: any SessionMover
    private let backend: MovingBackend
    private let letsGo: Bool

    init(_ mover: any SessionMover, _ backend: MovingBackend, letsGo: Bool) {
        self.mover = mover
        self.backend = backend
        self.letsGo = letsGo
    }

    func leave(
        by deadline: ContinuousClock.Instant, while isWanted: @escaping @Sendable () -> Bool
    ) async -> HandoffReport {
        let report = await mover.leave(by: deadline, while: isWanted)
        guard isWanted(), !Task.isCancelled, let session = await backend.present else { return report }
        session.setPresence(false)
        await waitForNotice(in: session, until: deadline)
        if letsGo, isWanted() { await backend.letGo() }
        return report
    }

    func interrupt() async { await mover.interrupt() }

    func comeBack() async -> HandoffReport {
        // One that was let go of is opened again.
        _ = await backend.comeBack()
        let report = await mover.comeBack()
        await backend.present?.setPresence(true)
        return report
    }

    /// A person is told what goes on behind when the app has been away for a moment; a process that stands still tells nothing.
    private func waitForNotice(in session: InProcessBackend, until end: ContinuousClock.Instant) async {
        guard let status = try? await session.notifications(.status), status.settings != nil else { return }
        // Cut short when nobody waits any more.
        try? await Task.sleep(until: min(end, .now + .milliseconds(1_100)), clock: .continuous)
    }
}

extension MovingBackend {
    /// Nobody runs the session until it is asked something, or the app is in front.
    func letGo() async {
        await gate.beginMove()
        defer { gate.endMove() }
        guard case .here(let session) = place else { return }
        await session.close()
        settle(.nowhere)
    }
}

extension CarrierLanes {
    /// Leaves a session as an app does that was started in the background and is about to stand still.
    package static func leave(
        _ session: TransferSession, by deadline: ContinuousClock.Instant, while isWanted: @escaping @Sendable () -> Bool
    ) async {
        _ = await session.mover.leave(by: deadline, while: isWanted)
    }
}
