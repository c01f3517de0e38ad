import LonghaulCore

/// Leaves what an app has under way to the system that carries exchanges. The session stays with its app: what changes is who moves the
/// bytes.
struct LaneMover: SessionMover {
    /// Time that is kept back for stopping at a safe byte.
    private static let margin = Duration.milliseconds(500)

    let backend: MovingBackend
    let lanes: CarrierLanes
    private let stays = Stays()

    init(_ backend: MovingBackend, _ lanes: CarrierLanes) {
        self.backend = backend
        self.lanes = lanes
    }

    /// Moves what cannot end here in time, and has all that waits begun there in one batch: the system starts an app rarely, so that one
    /// exchange after the other would hardly get on. A body that has left is never sent again: its answer is waited for here.
    func leave(
        by deadline: ContinuousClock.Instant, while isWanted: @escaping @Sendable () -> Bool
    ) async -> HandoffReport {
        guard let session = await backend.present else { return HandoffReport(.unchanged) }
        let end = deadline - min(Self.margin, (deadline - .now) / 10)
        var report = HandoffReport(.unchanged)
        lanes.choose(.there)
        session.grantInOneBatch(upTo: lanes.batch)
        while isWanted(), !Task.isCancelled {
            await session.settle(until: deadline)
            let plan = await leftHere(session.planHandoff(grace: max(.zero, end - .now), hasService: true))
            report.note(plan)
            let leaving = plan.fates.filter { if case .handOver = $0.value { true } else { false } }.keys
            session.relocate(leaving.filter { lanes.place($0) == .here })
            if end <= .now {
                await session.settle(until: deadline)
                break
            }
            if !leaving.isEmpty {
                // Files are being looked at, or put together, before the system gets them. Cut short, the time is up or not wanted.
                try? await Task.sleep(for: .milliseconds(10))
                continue
            }
            guard let stay = Stay(plan, until: end) else { break }
            await stays.pass(stay, in: session, while: isWanted)
        }
        report.noteMoves(lanes.movedInVain())
        guard isWanted(), !Task.isCancelled else {
            comeBack(session)
            return report
        }
        report.outcome = .handedOver
        return report
    }

    func interrupt() async { stays.interrupt() }

    /// What the system has stays there: it would lose by being moved.
    func comeBack() async -> HandoffReport {
        stays.interrupt()
        if let session = await backend.present { comeBack(session) }
        return HandoffReport(.unchanged)
    }

    private func comeBack(_ session: InProcessBackend) {
        lanes.choose(.here)
        session.holdTurns(false)
    }

    /// What the system has needs nobody to stay.
    private func leftHere(_ plan: HandoffPolicy.Plan) -> HandoffPolicy.Plan {
        var plan = plan
        plan.fates = plan.fates.filter { lanes.place($0.key) != .there }
        return plan
    }
}

extension MovingBackend {
    /// Who takes the session, or its exchanges, elsewhere when its app leaves.
    nonisolated var mover: any SessionMover {
        arrival.world?.lanes.map { PresentMover(LaneMover(self, $0), self, letsGo: $0.letsGo) } ?? self
    }
}
