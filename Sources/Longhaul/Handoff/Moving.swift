import LonghaulCore
import LonghaulRuntime
import LonghaulSystem

/// Session handoff. Only the lock is passed on, so a process that dies between any two steps leaves the same state as
/// any other crash: a free session, which the service takes.
extension MovingBackend: SessionMover {
    /// The longest time reserved for stopping at a synced offset and for reporting it. A busy machine needs far longer
    /// for both than an idle one.
    private static let margin = Duration.milliseconds(500)

    func handOver(
        by deadline: ContinuousClock.Instant, while isWanted: @escaping @Sendable () -> Bool
    ) async -> HandoffReport {
        guard case .here(let session) = place else { return HandoffReport(.unchanged) }
        let hasService = await arrival.link?.connects() ?? false
        // If no other process continues the session, the remaining time is used for new exchanges too.
        session.holdTurns(hasService)
        let grace = deadline - .now
        let end = deadline - min(Self.margin, grace / 10)
        var report = HandoffReport(.unchanged)
        while isWanted(), !Task.isCancelled {
            let plan = await session.planHandoff(grace: end - .now, hasService: hasService)
            report.add(plan)
            guard let stay = GracePeriod(plan, until: end) else { break }
            await gracePeriods.pass(stay, in: session, while: isWanted) { [arrival] in await arrival.probe?(.staying) }
        }
        gracePeriods.clear()
        await callLock.beginMove()
        defer { callLock.endMove() }
        guard isWanted(), !Task.isCancelled, case .here(let session) = place else {
            session.holdTurns(false)
            return HandoffReport(.unchanged)
        }
        await arrival.probe?(.planned)
        report.outcome = await release(of: session, hasService: hasService)
        return report
    }

    func interrupt() {
        gracePeriods.interrupt()
    }

    func comeBack() async -> HandoffReport {
        interrupt()
        await callLock.beginMove()
        defer { callLock.endMove() }
        do throws(TransferFailure) {
            switch place {
            case .here, .closed: return HandoffReport(.unchanged)
            case .there where !arrival.takesOver: return HandoffReport(.unchanged)
            case .there(let remote):
                switch try await arrival.get() {
                case .here(let session):
                    move(.here(session))
                    await remote.close()
                    return HandoffReport(.takenOver)
                case .there(let reason): return HandoffReport(.watching(reason))
                }
            case .nowhere: return try await open()
            }
        } catch {
            // As before: through the service, if it has the session, or at the next call.
            if case .there = place { return HandoffReport(.watching(error)) }
            return HandoffReport(.suspended(error))
        }
    }

    /// Releases the session to the service, or to no process. If starting the service failed a moment ago, it is not
    /// tried again: the remaining time is needed for stopping.
    private func release(of session: InProcessBackend, hasService: Bool) async -> HandoffOutcome {
        do throws(TransferFailure) {
            guard hasService, let link = arrival.link else { throw Self.alone }
            // First, so that the service is waiting when the lock is released.
            try await link.adopt()
            await arrival.probe?(.announced)
            await session.close()
            await arrival.probe?(.closed)
            move(.there(try await link.openBackend()))
            await arrival.probe?(.watching)
            return .handedOver
        } catch {
            // Closing a closed session has no effect.
            await session.close()
            move(.nowhere)
            return .suspended(error)
        }
    }

    private static let alone = TransferFailure(
        .serviceUnavailable,
        "No service can run this session. Its transfers continue when the app runs the session again.")
}
