import LonghaulCore
import LonghaulIPC
import Synchronization

/// Reports, once in each command, that the queue of the session was damaged, or the settings for all sessions. Otherwise an empty list
/// looks as if nothing had ever been submitted.
final class DamageNotice: Sendable {
    private let session: SessionID
    private let state = Mutex(State())

    private struct State {
        var isAsked = false
        var isTold = false
    }

    init(_ session: SessionID) {
        self.session = session
    }

    /// Whether the notice was shown.
    var isTold: Bool { state.withLock(\.isTold) }

    /// Returns a world whose first connection queries the session.
    func watching(_ world: World) -> World {
        var watching = world
        watching.connect = { startsService throws(TransferFailure) in
            let service = try await world.connect(startsService)
            await self.query(service, world.console)
            return service
        }
        return watching
    }

    private func query(_ service: any TransferService, _ console: Console) async {
        let isFirst = state.withLock { state in
            defer { state.isAsked = true }
            return !state.isAsked
        }
        if isFirst { await tell(service, console) }
    }

    /// Queries the session again after the command, which may have met the damage.
    func finish(_ world: World) async {
        // The command has closed its connection.
        guard state.withLock({ $0.isAsked && !$0.isTold }), let service = try? await world.connect(false) else {
            return
        }
        defer { service.close() }
        await tell(service, world.console)
    }

    private func tell(_ service: any TransferService, _ console: Console) async {
        // The command itself reports a service that does not answer.
        guard let status = try? await service.status() else { return }
        let isTold = Self.show(of: session, in: status, console)
        state.withLock { $0.isTold = isTold }
    }

    /// Shows the notices for a command that has the status of the service, and returns whether there was one.
    static func show(of session: SessionID, in status: ServiceStatus, _ console: Console) -> Bool {
        let troubles = [status.sessions.first { $0.id == session }?.trouble, status.trouble].compactMap { $0 }
            .filter { $0.code == .storeDamaged }
        for trouble in troubles {
            console.say(
                "longhaul: " + StateText.sentence(trouble).asSentence + " " + tr("For details, run longhaul doctor."))
        }
        return !troubles.isEmpty
    }
}
