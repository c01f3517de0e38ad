import LonghaulCore
import LonghaulRuntime

/// A session whose exchanges the system can carry keeps its owner: what is under way changes lanes.
extension MovingBackend {
    /// What is worth staying for ends here, everything else is the system's when this returns. A body that is out is never sent
    /// again: its answer is waited for where it went out.
    func leave(
        _ session: InProcessBackend, on lanes: SystemLanes, by deadline: ContinuousClock.Instant,
        while isWanted: @escaping @Sendable () -> Bool
    ) async -> HandoffReport {
        // From the first moment: what begins while the app stays for another would have to be moved at once.
        lanes.setBehind(true)
        let end = deadline - min(Self.margin, (deadline - .now) / 10)
        var report = HandoffReport(.unchanged)
        await staying.pass(in: session, until: end, while: isWanted, onStaying: arrival.probe) { grace in
            let plan = lanes.own(await session.planHandoff(grace: grace, hasService: true))
            report.note(plan)
            session.runtime.relocate(plan.fates.filter { $0.value.isHandOver }.map(\.key))
            return plan
        }
        await gate.beginMove()
        defer { gate.endMove() }
        guard isWanted(), !Task.isCancelled, case .here(let session) = place else {
            lanes.setBehind(false)
            return HandoffReport(.unchanged)
        }
        await session.settle()
        await withCheckedContinuation { continuation in lanes.whenBegun { continuation.resume() } }
        session.setPresence(false)
        await Self.waitForNotice(in: session, until: end)
        if report.fates.values.contains(where: \.isHandOver) { report.outcome = .handedOver }
        guard lanes.letsGo else { return report }
        await session.close()
        settle(.nowhere)
        return report
    }

    /// A person is told what goes on behind when the app has been away for a moment; a process that stands still tells nothing.
    private static func waitForNotice(in session: InProcessBackend, until end: ContinuousClock.Instant) async {
        guard let status = try? await session.notifications(.status), status.settings != nil else { return }
        // Cut short when nobody waits any more.
        try? await Task.sleep(until: min(end, .now + .milliseconds(1_100)), clock: .continuous)
    }
}

extension HandoffPolicy.Fate {
    fileprivate var isHandOver: Bool { if case .handOver = self { true } else { false } }
}

extension HandoffReport.Fate {
    fileprivate var isHandOver: Bool { if case .handOver = self { true } else { false } }
}

extension SystemLanes {
    /// Leaves a session as an app does that was started in the background and is about to stand still.
    package static func leave(
        _ session: TransferSession, by deadline: ContinuousClock.Instant, while isWanted: @escaping @Sendable () -> Bool
    ) async {
        _ = await session.mover.leave(by: deadline, while: isWanted)
    }
}
