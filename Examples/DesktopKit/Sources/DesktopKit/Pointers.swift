/// Any pointer to an object of GLib. Swift imports a derivable class as a pointer to its structure, and a final class as an opaque
/// pointer. Both are the address of the object.
nonisolated public protocol ObjectPointer {
    /// The address.
    var address: UnsafeMutableRawPointer { get }
}

nonisolated extension UnsafeMutablePointer: ObjectPointer {
    /// The address.
    public var address: UnsafeMutableRawPointer { UnsafeMutableRawPointer(self) }
}

nonisolated extension OpaquePointer: ObjectPointer {
    /// The address.
    public var address: UnsafeMutableRawPointer { UnsafeMutableRawPointer(self) }
}

/// A widget of any class.
public typealias Widget = UnsafeMutablePointer<GtkWidget>

nonisolated extension ObjectPointer {
    /// Returns the same object as another class, without a check. The counterpart in C is `GTK_BOX(x)`.
    public func cast<T>(to type: T.Type = T.self) -> UnsafeMutablePointer<T> { address.assumingMemoryBound(to: type) }

    /// Returns the same object as a class that is opaque to Swift.
    public func cast() -> OpaquePointer { OpaquePointer(address) }
}
