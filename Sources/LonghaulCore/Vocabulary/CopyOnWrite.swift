/// A long value that its copies share until one of them is changed: to copy it costs one count of references.
///
/// Records, plans and what is asked for are copied many times for each event.
@usableFromInline package struct CopyOnWrite<Value: Equatable & Sendable>: Equatable, Sendable {
    /// `@unchecked Sendable`: it is changed only while one value alone refers to it.
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
    /// That of the value.
    @usableFromInline package var debugDescription: String { String(reflecting: value) }
}
