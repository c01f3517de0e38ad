/// The values of an emitted signal: first the object, then the signal's arguments.
public struct SignalArguments {
    private let values: UnsafeBufferPointer<GValue>

    init(_ values: UnsafeBufferPointer<GValue>) {
        self.values = values
    }

    /// Returns an argument of type `int`.
    public func int(_ index: Int) -> Int { Int(g_value_get_int(value(index))) }
    /// Returns an argument of type `unsigned int`.
    public func uint(_ index: Int) -> UInt { UInt(g_value_get_uint(value(index))) }
    /// Returns an argument of type `double`.
    public func double(_ index: Int) -> Double { g_value_get_double(value(index)) }
    /// Returns an argument of type `gboolean`.
    public func bool(_ index: Int) -> Bool { g_value_get_boolean(value(index)) != 0 }
    /// Returns an argument of type string.
    public func string(_ index: Int) -> String? { g_value_get_string(value(index)).map { String(cString: $0) } }
    /// Returns an argument of type `GVariant`, such as the parameter of an action.
    public func variant(_ index: Int) -> OpaquePointer? { g_value_get_variant(value(index)) }
    /// Returns an argument of type object.
    public func object(_ index: Int) -> OpaquePointer? { g_value_get_object(value(index)).map { OpaquePointer($0) } }
    /// Returns an argument of a boxed type, such as the files of a drop.
    public func boxed(_ index: Int) -> OpaquePointer? {
        // The argument of a drop is a `GValue` that contains the boxed value.
        let value = value(index)
        guard value.pointee.g_type == g_value_get_type() else {
            return g_value_get_boxed(value).map { OpaquePointer($0) }
        }
        let inner = g_value_get_boxed(value)?.assumingMemoryBound(to: GValue.self)
        return inner.flatMap { g_value_get_boxed($0) }.map { OpaquePointer($0) }
    }
    /// Returns an argument of type pointer.
    public func pointer(_ index: Int) -> UnsafeMutableRawPointer? { g_value_get_pointer(value(index)) }

    private func value(_ index: Int) -> UnsafePointer<GValue> { values.baseAddress! + index }
}

/// Calls `body` whenever the object emits the signal. The object keeps the closure.
public func on(_ object: some ObjectPointer, _ signal: String, _ body: @escaping () -> Void) {
    connect(object, signal) { _ in
        body()
        return nil
    }
}

/// Calls `body` with the signal's arguments. Argument 0 is the object.
public func on(_ object: some ObjectPointer, _ signal: String, with body: @escaping (SignalArguments) -> Void) {
    connect(object, signal) { arguments in
        body(arguments)
        return nil
    }
}

/// Calls `body`, and returns its result to the emitter of the signal.
public func on(_ object: some ObjectPointer, _ signal: String, answer body: @escaping (SignalArguments) -> Bool) {
    connect(object, signal) { body($0) }
}

private final class Handler {
    let body: (SignalArguments) -> Bool?

    init(_ body: @escaping (SignalArguments) -> Bool?) {
        self.body = body
    }
}

private func connect(
    _ object: some ObjectPointer, _ signal: String, _ body: @escaping (SignalArguments) -> Bool?
) {
    let closure = g_closure_new_simple(
        guint(MemoryLayout<GClosure>.size), Unmanaged.passRetained(Handler(body)).toOpaque())
    g_closure_add_finalize_notifier(closure, closure?.pointee.data) { data, _ in
        Unmanaged<Handler>.fromOpaque(data!).release()
    }
    g_closure_set_marshal(closure) { closure, result, count, values, _, _ in
        let handler = Unmanaged<Handler>.fromOpaque(closure!.pointee.data).takeUnretainedValue()
        let answer = handler.body(SignalArguments(UnsafeBufferPointer(start: values, count: Int(count))))
        if let answer, let result { g_value_set_boolean(result, answer ? 1 : 0) }
    }
    g_signal_connect_closure(object.address, signal, closure, 0)
}
