import LonghaulCore
import LonghaulStore

/// Opening a session's store, and what happens when it is damaged.
enum SessionOpening {
    static func open(
        _ directory: SessionDirectory, _ environment: RuntimeEnvironment
    ) throws(TransferFailure) -> SessionLoop {
        let store: Store
        do throws(TransferFailure) {
            store = try Store(path: directory.layout.store)
        } catch {
            guard error.code == .storeDamaged else { throw error }
            let place = try Store.setAside(path: directory.layout.store, now: environment.now())
            throw SessionDirectory.damage(setAsideAs: place, origin: error.origin)
        }
        return try SessionLoop(directory: directory, store: store, environment: environment)
    }
}
