// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents what these are; `Tests/AppleDoubles/sources.md` says where.
public import Dispatch
@_exported public import Foundation
import Synchronization

public struct NWInterface: Hashable, Sendable {
    public enum InterfaceType: Hashable, Sendable { case other, wifi, cellular, wiredEthernet, loopback }
}

public struct NWPath: Equatable, Sendable {
    public enum Status: Sendable { case satisfied, unsatisfied, requiresConnection }
    public internal(set) var status: Status
    public internal(set) var isExpensive: Bool
    public internal(set) var isConstrained: Bool
    let type: NWInterface.InterfaceType?
    public func usesInterfaceType(_ type: NWInterface.InterfaceType) -> Bool { type == self.type }

    /// Double only.
    public init(
        _ status: Status, _ type: NWInterface.InterfaceType? = nil, isExpensive: Bool = false,
        isConstrained: Bool = false
    ) {
        self.status = status
        self.type = type
        self.isExpensive = isExpensive
        self.isConstrained = isConstrained
    }
}

public final class NWPathMonitor: Sendable {
    private struct State {
        var handler: (@Sendable (NWPath) -> Void)?
        var queue: DispatchQueue?
    }

    private struct World {
        var path = NWPath(.satisfied, .wifi)
        var monitors: [ObjectIdentifier: NWPathMonitor] = [:]
    }

    private let state = Mutex(State())
    private static let world = Mutex(World())

    public init() {}

    @preconcurrency public var pathUpdateHandler: (@Sendable (NWPath) -> Void)? {
        get { state.withLock(\.handler) }
        set { state.withLock { $0.handler = newValue } }
    }

    public func start(queue: DispatchQueue) {
        state.withLock { $0.queue = queue }
        let path = Self.world.withLock { world in
            world.monitors[ObjectIdentifier(self)] = self
            return world.path
        }
        notify(path)
    }

    public func cancel() {
        state.withLock { $0.queue = nil }
        Self.world.withLock { $0.monitors[ObjectIdentifier(self)] = nil }
    }

    private func notify(_ path: NWPath) {
        let (queue, handler) = state.withLock { ($0.queue, $0.handler) }
        queue?.async { handler?(path) }
    }

    /// Double only: the device is on another network.
    public static func change(to path: NWPath) {
        let monitors = world.withLock { world in
            world.path = path
            return Array(world.monitors.values)
        }
        for monitor in monitors { monitor.notify(path) }
    }
}
