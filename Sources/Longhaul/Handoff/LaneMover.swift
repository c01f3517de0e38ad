import LonghaulCore
import LonghaulSystem

/// Leaves an app's active transfers to the system that runs exchanges. The app keeps the session; only the bytes are
/// transferred elsewhere.
struct LaneMover: SessionMover {
    /// Time reserved for stopping at a synced offset.
    private static let margin = Duration.milliseconds(500)

    let backend: MovingBackend
    let lanes: CarrierLanes
    private let gracePeriods = GracePeriods()

    init(_ backend: MovingBackend, _ lanes: CarrierLanes) {
        self.backend = backend
        self.lanes = lanes
    }

    /// Moves the exchanges that cannot end here in time, and starts all waiting transfers there in one batch: the system starts an app
    /// rarely, so starting them one by one would take too long. A body that was sent is never sent again: its response is awaited here.
    func handOver(
        by deadline: ContinuousClock.Instant, while isWanted: @escaping @Sendable () -> Bool
    ) async -> HandoffReport {
        guard let session = await backend.present else { return HandoffReport(.unchanged) }
        let end = deadline - min(Self.margin, (deadline - .now) / 10)
        var report = HandoffReport(.unchanged)
        lanes.choose(.there)
        session.grantInOneBatch(upTo: lanes.batch)
        while isWanted(), !Task.isCancelled {
            await session.waitForStops(until: deadline)
            let plan = await leftHere(session.planHandoff(grace: max(.zero, end - .now), hasService: true))
            report.add(plan)
            let leaving = plan.actions.filter { if case .handOver = $0.value { true } else { false } }.keys
            session.relocate(leaving.filter { lanes.place($0) == .here })
            if end <= .now {
                await session.waitForStops(until: deadline)
                break
            }
            if !leaving.isEmpty {
                // Some files are being inspected or assembled before the system gets them. If the sleep is cut short, the time is up or
                // the app is back.
                try? await Task.sleep(for: .milliseconds(10))
                continue
            }
            guard let stay = GracePeriod(plan, until: end) else { break }
            await gracePeriods.pass(stay, in: session, while: isWanted)
        }
        report.recordMoves(lanes.movedInVain())
        guard isWanted(), !Task.isCancelled else {
            comeBack(session)
            return report
        }
        report.outcome = .handedOver
        return report
    }

    func interrupt() async { gracePeriods.interrupt() }

    /// Exchanges that the system has stay there: moving them back would lose bytes.
    func comeBack() async -> HandoffReport {
        gracePeriods.interrupt()
        if let session = await backend.present { comeBack(session) }
        return HandoffReport(.unchanged)
    }

    private func comeBack(_ session: InProcessBackend) {
        lanes.choose(.here)
        session.holdTurns(false)
    }

    /// Removes the exchanges that the system has from the plan: this process need not wait for them.
    private func leftHere(_ plan: HandoffPolicy.Plan) -> HandoffPolicy.Plan {
        var plan = plan
        plan.actions = plan.actions.filter { lanes.place($0.key) != .there }
        // All bytes may have arrived before the end of the exchange was processed. A process that is suspended then, and killed, would
        // transfer them again.
        let isEnding = plan.actions.values.contains { if case .finishHere = $0 { true } else { false } }
        if isEnding, plan.departure == .now { plan.departure = .stay(until: SystemClock.wallTime()) }
        return plan
    }
}

extension MovingBackend {
    /// Moves the session, or its exchanges, when the app leaves.
    nonisolated var mover: any SessionMover {
        arrival.world?.lanes.map { PresentMover(LaneMover(self, $0), self, letsGo: $0.letsGo) } ?? self
    }
}
