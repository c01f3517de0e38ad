import LonghaulCore
import LonghaulIPC
import LonghaulRuntime
import LonghaulSystem

/// The directories of sessions, under `$XDG_STATE_HOME/longhaul/sessions`.
struct SessionDirectories: Sendable {
    let stateDirectory: String

    /// Returns the existing directories with a valid session name.
    func existing() -> [SessionID] {
        Directory.names(in: stateDirectory + "/sessions").compactMap(SessionID.init).filter(exists)
            .sorted { $0.description < $1.description }
    }

    /// Returns the sessions that have a store or an owner. Other directories are being created, and their lock must be left to
    /// their creator.
    func begun() -> [SessionID] { existing().filter(isBegun) }

    func isBegun(_ id: SessionID) -> Bool {
        Files.isThere(layout(id).store) || damage(id) != nil || SessionLock.isHeld(layout(id))
    }

    func exists(_ id: SessionID) -> Bool {
        PrivateDirectory.isOwned(layout(id).directory)
    }

    /// Creates the directory if it is missing.
    func make(_ id: SessionID) throws(TransferFailure) -> SessionLayout {
        try PrivateDirectory.create(layout(id).directory, mayTighten: true)
        return layout(id)
    }

    /// Returns the report about a quarantined store; `nil` if there is none.
    func damage(_ id: SessionID) -> TransferFailure? { SessionDirectory.damage(in: layout(id)) }

    /// Returns the failure for a session that another process runs.
    func inUse(_ id: SessionID) -> TransferFailure { SessionDirectory.inUse(layout(id)) }

    func layout(_ id: SessionID) -> SessionLayout {
        SessionLayout(stateDirectory: stateDirectory, session: id)
    }
}
