import LonghaulCore
import LonghaulIPC
import Synchronization

/// Tells, once for each command, that the session which is asked had a damaged queue: otherwise an empty list looks as if
/// nothing had ever been asked for.
final class DamageNotice: Sendable {
    private let session: SessionID
    private let isAsked = Mutex(false)

    private init(_ session: SessionID) {
        self.session = session
    }

    /// The same world, whose first connection asks how the session is.
    static func watching(_ session: SessionID, in world: World) -> World {
        let notice = DamageNotice(session)
        var watching = world
        watching.connect = { startsService throws(TransferFailure) in
            let service = try await world.connect(startsService)
            await notice.ask(service, world.console)
            return service
        }
        return watching
    }

    private func ask(_ service: any TransferService, _ console: Console) async {
        let isFirst = isAsked.withLock { isAsked in
            defer { isAsked = true }
            return !isAsked
        }
        // A service that does not answer will not answer the command either, which tells why.
        guard isFirst, let sessions = try? await service.status().sessions else { return }
        Self.tell(of: session, among: sessions, console)
    }

    /// For a command that has asked how the sessions are.
    static func tell(of session: SessionID, among sessions: [SessionSummary], _ console: Console) {
        guard let trouble = sessions.first(where: { $0.id == session })?.trouble, trouble.code == .storeDamaged
        else { return }
        console.say("longhaul: " + StateText.sentence(trouble) + "; see longhaul doctor")
    }
}
