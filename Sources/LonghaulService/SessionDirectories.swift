import LonghaulCore
import LonghaulIPC
import LonghaulRuntime
import LonghaulSystem

/// The directories of sessions, under `$XDG_STATE_HOME/longhaul/sessions`.
struct SessionDirectories: Sendable {
    let stateDirectory: String

    /// Those that are there and have a session's name.
    func existing() -> [SessionID] {
        Directory.names(in: stateDirectory + "/sessions").compactMap(SessionID.init).filter(exists)
            .sorted { $0.description < $1.description }
    }

    /// Those with something in them to run, or that somebody runs. Others are about to be made: the lock must be left to
    /// their maker.
    func begun() -> [SessionID] { existing().filter(isBegun) }

    func isBegun(_ id: SessionID) -> Bool {
        Files.isThere(layout(id).store) || damage(id) != nil || SessionLock.isHeld(layout(id))
    }

    func exists(_ id: SessionID) -> Bool {
        PrivateDirectory.isOwned(layout(id).directory)
    }

    /// Makes the directory if it is not there.
    func make(_ id: SessionID) throws(TransferFailure) -> SessionLayout {
        try PrivateDirectory.create(layout(id).directory, mayTighten: true)
        return layout(id)
    }

    /// What is to be told of a store that was set aside; `nil` when there is none.
    func damage(_ id: SessionID) -> TransferFailure? { SessionDirectory.damage(in: layout(id)) }

    /// What a session is that another process runs.
    func inUse(_ id: SessionID) -> TransferFailure { SessionDirectory.inUse(layout(id)) }

    func layout(_ id: SessionID) -> SessionLayout {
        SessionLayout(stateDirectory: stateDirectory, session: id)
    }
}
