/// A large value that copies share until one of them changes: a copy costs one retain.
///
/// Records, plans, and specs are copied many times for each event.
@usableFromInline package struct CopyOnWrite<Value: Equatable & Sendable>: Equatable, Sendable {
    /// `@unchecked Sendable`: changed only while a single value refers to it.
    @usableFromInline final class Storage: @unchecked Sendable {
        @exclusivity(unchecked) @usableFromInline var value: Value

        @inlinable init(_ value: Value) {
            self.value = value
        }
    }

    @usableFromInline var storage: Storage

    @inlinable package init(_ value: Value) {
        storage = Storage(value)
    }

    /// Shares the storage of another value.
    init(storage: Storage) {
        self.storage = storage
    }

    @inlinable package var value: Value {
        @inline(__always) get { storage.value }
        _modify {
            if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
            yield &storage.value
        }
    }

    @inlinable package static func == (left: CopyOnWrite, right: CopyOnWrite) -> Bool {
        left.storage === right.storage || left.storage.value == right.storage.value
    }
}

extension CopyOnWrite: CustomDebugStringConvertible {
    /// The description of the value.
    @usableFromInline package var debugDescription: String { String(reflecting: value) }
}
