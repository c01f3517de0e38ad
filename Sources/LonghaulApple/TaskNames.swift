import Synchronization

/// The names that this process has registered with the system's scheduler. The system ends an app that registers a name twice.
package final class TaskNames: Sendable {
    package static let ofProcess = TaskNames()

    private enum Owner: Equatable {
        case call
        case scene(ObjectIdentifier)
    }

    private let owners = Mutex<[String: Owner]>([:])

    /// Creates the names of another process, in tests.
    package init() {}

    /// Claims a name for a call. Returns `false` if it has an owner.
    func claim(_ name: String) -> Bool { claim(name, for: .call) == nil }

    /// Claims a name for the scenes with this scheduler: the system evaluates scenes many times. Returns `false` if it has another owner.
    func claim(_ name: String, forScenesWith scheduler: AnyObject) -> Bool {
        let owner = Owner.scene(ObjectIdentifier(scheduler))
        return (claim(name, for: owner) ?? owner) == owner
    }

    /// Whether the scenes with this scheduler own a name.
    func hasScenes(_ name: String, with scheduler: AnyObject) -> Bool {
        owners.withLock { $0[name] == .scene(ObjectIdentifier(scheduler)) }
    }

    /// Releases a name that the system has refused.
    func release(_ name: String) { owners.withLock { $0[name] = nil } }

    /// Returns the present owner; `nil` if there was none.
    private func claim(_ name: String, for owner: Owner) -> Owner? {
        owners.withLock { owners in
            let present = owners[name]
            owners[name] = present ?? owner
            return present
        }
    }
}
