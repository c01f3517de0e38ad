import Synchronization

extension AppSurroundings {
    private static let simulation = Mutex<AppSurroundings?>(nil)

    /// The simulated process in which an app creates its sessions. A test that launches an app sets it.
    package static var simulated: AppSurroundings? {
        get { simulation.withLock { $0 } }
        set { simulation.withLock { $0 = newValue } }
    }
}
