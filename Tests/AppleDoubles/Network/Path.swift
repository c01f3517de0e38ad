// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents what these are, on the page that each `Source` names.
public import Dispatch
@_exported public import Foundation
import Synchronization

// Source: network/nwinterface
@available(macOS 10.14, iOS 12.0, *)
public struct NWInterface: Hashable, Sendable {
    // Source: network/nwinterface/interfacetype
    public enum InterfaceType: Hashable, Sendable { case other, wifi, cellular, wiredEthernet, loopback }
}

// Source: network/nwpath
@available(macOS 10.14, iOS 12.0, *)
public struct NWPath: Equatable, Sendable {
    // Source: network/nwpath/status-swift.enum
    public enum Status: Sendable { case satisfied, unsatisfied, requiresConnection }

    // Source: network/nwpath/status-swift.property, network/nwpath/isexpensive, network/nwpath/isconstrained
    public internal(set) var status: Status
    public internal(set) var isExpensive: Bool
    @available(macOS 10.15, iOS 13.0, *)
    public internal(set) var isConstrained: Bool
    let type: NWInterface.InterfaceType?

    // Source: network/nwpath/usesinterfacetype(_:)
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

// Apple's pages do not say that it is Sendable, so the double is not.
// Source: network/nwpathmonitor
@available(macOS 10.14, iOS 12.0, *)
public final class NWPathMonitor {
    private let observer = PathObserver()

    // Source: network/nwpathmonitor/init()
    public init() {}

    // Source: network/nwpathmonitor/pathupdatehandler
    @preconcurrency public final var pathUpdateHandler: (@Sendable (NWPath) -> Void)? {
        get { observer.state.withLock(\.handler) }
        set { observer.state.withLock { $0.handler = newValue } }
    }

    // Source: network/nwpathmonitor/start(queue:)
    public func start(queue: DispatchQueue) { observer.start(queue) }

    // Source: network/nwpathmonitor/cancel()
    public func cancel() { observer.cancel() }

    /// Double only: monitors report no path before the next change.
    public static func withholdPath() { PathObserver.withholdPath() }

    /// Double only: the device is on another network.
    public static func change(to path: NWPath) { PathObserver.change(to: path) }
}

/// The part of a monitor that the device notifies.
private final class PathObserver: Sendable {
    struct State {
        var handler: (@Sendable (NWPath) -> Void)?
        var queue: DispatchQueue?
    }

    private struct World {
        var path: NWPath? = NWPath(.satisfied, .wifi)
        var observers: [ObjectIdentifier: PathObserver] = [:]
    }

    let state = Mutex(State())
    private static let world = Mutex(World())

    func start(_ queue: DispatchQueue) {
        state.withLock { $0.queue = queue }
        let path = Self.world.withLock { world in
            world.observers[ObjectIdentifier(self)] = self
            return world.path
        }
        if let path { notify(path) }
    }

    func cancel() {
        state.withLock { $0.queue = nil }
        Self.world.withLock { $0.observers[ObjectIdentifier(self)] = nil }
    }

    private func notify(_ path: NWPath) {
        let (queue, handler) = state.withLock { ($0.queue, $0.handler) }
        queue?.async { handler?(path) }
    }

    static func withholdPath() { world.withLock { $0.path = nil } }

    static func change(to path: NWPath) {
        let observers = world.withLock { world in
            world.path = path
            return Array(world.observers.values)
        }
        for observer in observers { observer.notify(path) }
    }
}
