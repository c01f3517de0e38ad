import LonghaulCore
import LonghaulIPC
import Synchronization

/// Tells, once for each command, that the session which is asked had a damaged queue: otherwise an empty list looks as if
/// nothing had ever been asked for.
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

    /// Whether there was something to tell.
    var isTold: Bool { state.withLock(\.isTold) }

    /// The same world, whose first connection asks how the session is.
    func watching(_ world: World) -> World {
        var watching = world
        watching.connect = { startsService throws(TransferFailure) in
            let service = try await world.connect(startsService)
            await self.ask(service, world.console)
            return service
        }
        return watching
    }

    private func ask(_ service: any TransferService, _ console: Console) async {
        let isFirst = state.withLock { state in
            defer { state.isAsked = true }
            return !state.isAsked
        }
        // A service that does not answer will not answer the command either, which tells why.
        guard isFirst, let sessions = try? await service.status().sessions else { return }
        let isTold = Self.tell(of: session, among: sessions, console)
        state.withLock { $0.isTold = isTold }
    }

    /// For a command that has asked how the sessions are; whether there was something to tell.
    static func tell(of session: SessionID, among sessions: [SessionSummary], _ console: Console) -> Bool {
        guard let trouble = sessions.first(where: { $0.id == session })?.trouble, trouble.code == .storeDamaged
        else { return false }
        console.say("longhaul: " + StateText.sentence(trouble) + "; see longhaul doctor")
        return true
    }
}
