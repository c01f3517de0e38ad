/// Any pointer to an object of GLib. Classes that can be derived from arrive in Swift as pointers to their structure, final
/// ones as opaque pointers; both are the same address.
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
    /// The same object as another class; C's `GTK_BOX(x)`, unchecked.
    public func cast<T>(to type: T.Type = T.self) -> UnsafeMutablePointer<T> { address.assumingMemoryBound(to: type) }

    /// The same object as a class that is opaque to Swift.
    public func cast() -> OpaquePointer { OpaquePointer(address) }
}
