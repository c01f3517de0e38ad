import CSystemd

/// Reads the arguments of an answer or a signal, one after the other; `nil` for one that is not there or of another type.
struct BusReader {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) {
        self.handle = handle
    }

    mutating func text() -> String? {
        var value: UnsafePointer<CChar>?
        guard sd_bus_message_read_basic(handle, CChar(UInt8(ascii: "s")), &value) > 0, let value else { return nil }
        return String(cString: value)
    }

    mutating func number() -> UInt32? {
        var value: UInt32 = 0
        return sd_bus_message_read_basic(handle, CChar(UInt8(ascii: "u")), &value) > 0 ? value : nil
    }

    mutating func texts() -> [String]? {
        guard sd_bus_message_enter_container(handle, CChar(UInt8(ascii: "a")), "s") >= 0 else { return nil }
        var texts: [String] = []
        while let text = text() { texts.append(text) }
        return sd_bus_message_exit_container(handle) >= 0 ? texts : nil
    }
}

/// A signal of the bus, valid while it is being taken.
struct BusSignal {
    let interface: String
    let member: String
    private let handle: OpaquePointer

    init?(_ handle: OpaquePointer) {
        guard sd_bus_message_is_signal(handle, nil, nil) > 0, let interface = sd_bus_message_get_interface(handle),
            let member = sd_bus_message_get_member(handle)
        else { return nil }
        self.handle = handle
        self.interface = String(cString: interface)
        self.member = String(cString: member)
    }

    func read<Value>(_ body: (inout BusReader) -> Value?) -> Value? {
        var reader = BusReader(handle)
        return body(&reader)
    }
}
