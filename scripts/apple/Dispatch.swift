// The part of Apple's module Dispatch that Longhaul uses. Bodies are never run.
private func declared() -> Never { fatalError("only declared") }

// Source: dispatch/dispatchobject
open class DispatchObject {}

// Source: dispatch/dispatchqueue
open class DispatchQueue: DispatchObject, @unchecked Sendable {
    // Source: dispatch/dispatchqueue/main, dispatch/dispatchqueue/global(qos:)
    public class var main: DispatchQueue { declared() }
    @available(macOS 10.10, iOS 8.0, *)
    public class func global(qos: DispatchQoS.QoSClass = .default) -> DispatchQueue { declared() }

    // Source: dispatch/dispatchqueue/init(label:qos:attributes:autoreleasefrequency:target:)
    public convenience init(
        label: String, qos: DispatchQoS = .unspecified, attributes: DispatchQueue.Attributes = [],
        autoreleaseFrequency: DispatchQueue.AutoreleaseFrequency = .inherit, target: DispatchQueue? = nil
    ) { declared() }

    // Source: dispatch/dispatchqueue/async(group:qos:flags:execute:)
    @preconcurrency
    public func async(
        group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
        execute work: @escaping @Sendable @convention(block) () -> Void
    ) { declared() }

    // Source: dispatch/dispatchqueue/asyncafter(deadline:qos:flags:execute:)
    @preconcurrency
    public func asyncAfter(
        deadline: DispatchTime, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
        execute work: @escaping @Sendable @convention(block) () -> Void
    ) { declared() }

    // Source: dispatch/dispatchqueue/sync(execute:)-20xby
    public func sync<T>(execute work: () throws -> T) rethrows -> T { declared() }

    // Source: dispatch/dispatchqueue/setspecific(key:value:), dispatch/dispatchqueue/getspecific(key:)-swift.type.method
    @preconcurrency public func setSpecific<T: Sendable>(key: DispatchSpecificKey<T>, value: T?) { declared() }
    @preconcurrency public class func getSpecific<T: Sendable>(key: DispatchSpecificKey<T>) -> T? { declared() }

    // Source: dispatch/dispatchqueue/attributes
    public struct Attributes: OptionSet, Sendable {
        public let rawValue: UInt64
        public init(rawValue: UInt64) { self.rawValue = rawValue }
    }

    // Source: dispatch/dispatchqueue/autoreleasefrequency
    public enum AutoreleaseFrequency: Sendable { case inherit, workItem, never }
}

// Source: dispatch/dispatchspecifickey
public final class DispatchSpecificKey<T>: Sendable {
    public init() {}
}

// Source: dispatch/dispatchgroup
open class DispatchGroup: DispatchObject, @unchecked Sendable {
    public override init() { declared() }
}

// Source: dispatch/dispatchworkitemflags
public struct DispatchWorkItemFlags: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
}

// Source: dispatch/dispatchqos
public struct DispatchQoS: Equatable, Sendable {
    public static let unspecified = DispatchQoS()
    @available(macOS 10.10, iOS 8.0, *)
    public static let `default` = DispatchQoS()
    @available(macOS 10.10, iOS 8.0, *)
    public static let utility = DispatchQoS()
    @available(macOS 10.10, iOS 8.0, *)
    public static let background = DispatchQoS()

    // Source: dispatch/dispatchqos/qosclass-swift.enum
    public enum QoSClass: Sendable { case background, utility, `default`, userInitiated, userInteractive, unspecified }
}

// Source: dispatch/dispatchtime
public struct DispatchTime: Comparable, Sendable {
    public static func now() -> DispatchTime { declared() }
    public static func < (left: DispatchTime, right: DispatchTime) -> Bool { declared() }
}

// Source: dispatch/dispatchtime
public func + (time: DispatchTime, seconds: Double) -> DispatchTime { declared() }

// Source: dispatch/dispatchsemaphore
open class DispatchSemaphore: DispatchObject, @unchecked Sendable {
    // Source: dispatch/dispatchsemaphore/init(value:), dispatch/dispatchsemaphore/signal(), dispatch/dispatchsemaphore/wait()
    // Source: dispatch/dispatchsemaphore/wait(timeout:)
    public init(value: Int) {}
    @discardableResult public func signal() -> Int { declared() }
    public func wait() { declared() }
    public func wait(timeout: DispatchTime) -> DispatchTimeoutResult { declared() }
}

// Source: dispatch/dispatchtimeoutresult
public enum DispatchTimeoutResult: Sendable { case success, timedOut }
