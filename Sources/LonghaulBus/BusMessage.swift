import CSystemd

/// The arguments of a call, in order. The first failure is stored, and no argument is added after it.
package struct BusMessage {
    private let handle: OpaquePointer
    private(set) var result: Int32 = 0

    init(_ handle: OpaquePointer) {
        self.handle = handle
    }

    package mutating func text(_ value: String) {
        recordError(value.withCString { sd_bus_message_append_basic(handle, Self.type("s"), $0) })
    }

    package mutating func number(_ value: UInt32) {
        var value = value
        recordError(sd_bus_message_append_basic(handle, Self.type("u"), &value))
    }

    package mutating func integer(_ value: Int32) {
        var value = value
        recordError(sd_bus_message_append_basic(handle, Self.type("i"), &value))
    }

    package mutating func byte(_ value: UInt8) {
        var value = value
        recordError(sd_bus_message_append_basic(handle, Self.type("y"), &value))
    }

    package mutating func flag(_ value: Bool) {
        var number: Int32 = value ? 1 : 0
        recordError(sd_bus_message_append_basic(handle, Self.type("b"), &number))
    }

    package mutating func array(of contents: String, _ body: (inout BusMessage) -> Void) {
        container("a", contents, body)
    }

    package mutating func structure(_ contents: String, _ body: (inout BusMessage) -> Void) {
        container("r", contents, body)
    }

    package mutating func variant(_ contents: String, _ body: (inout BusMessage) -> Void) {
        container("v", contents, body)
    }

    package mutating func entry(_ contents: String, _ body: (inout BusMessage) -> Void) {
        container("e", contents, body)
    }

    private mutating func container(_ kind: Unicode.Scalar, _ contents: String, _ body: (inout BusMessage) -> Void) {
        recordError(sd_bus_message_open_container(handle, Self.type(kind), contents))
        guard result >= 0 else { return }
        body(&self)
        recordError(sd_bus_message_close_container(handle))
    }

    private mutating func recordError(_ code: Int32) {
        if result >= 0 { result = code }
    }

    private static func type(_ letter: Unicode.Scalar) -> CChar { CChar(UInt8(ascii: letter)) }
}
