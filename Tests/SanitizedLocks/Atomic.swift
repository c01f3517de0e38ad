// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
/// An ordering of `Synchronization`. A lock is stricter than each of them.
public enum AtomicOrdering: Sendable {
    case relaxed, acquiring, releasing, acquiringAndReleasing, sequentiallyConsistent
}

/// `Synchronization.Atomic`'s interface over a lock, because this module replaces all of Synchronization. The calls that the sources lack
/// are missing.
public struct Atomic<Value: BitwiseCopyable & Sendable>: ~Copyable, Sendable {
    private let value: Mutex<Value>

    public init(_ value: Value) { self.value = Mutex(value) }

    public borrowing func load(ordering: AtomicOrdering) -> Value { value.withLock { $0 } }

    public borrowing func store(_ new: Value, ordering: AtomicOrdering) { value.withLock { $0 = new } }

    public borrowing func exchange(_ new: Value, ordering: AtomicOrdering) -> Value {
        value.withLock { value in
            defer { value = new }
            return value
        }
    }
}

extension Atomic where Value: FixedWidthInteger {
    @discardableResult
    public borrowing func add(_ count: Value, ordering: AtomicOrdering) -> (oldValue: Value, newValue: Value) {
        value.withLock { value in
            let old = value
            value += count
            return (old, value)
        }
    }

    @discardableResult
    public borrowing func subtract(_ count: Value, ordering: AtomicOrdering) -> (oldValue: Value, newValue: Value) {
        value.withLock { value in
            let old = value
            value -= count
            return (old, value)
        }
    }

    @discardableResult
    public borrowing func wrappingAdd(_ count: Value, ordering: AtomicOrdering) -> (oldValue: Value, newValue: Value) {
        value.withLock { value in
            let old = value
            value &+= count
            return (old, value)
        }
    }
}
