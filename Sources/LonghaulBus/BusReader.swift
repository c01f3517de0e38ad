import CSystemd
package import LonghaulSystem

/// Reads a message in place, one value after the other; `nil` for a missing value or one of another type.
package struct BusReader {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) {
        self.handle = handle
    }

    package func text() -> String? { text("s") }

    package func path() -> String? { text("o") }

    package func number() -> UInt32? {
        var value: UInt32 = 0
        return basic("u", &value) ? value : nil
    }

    package func flag() -> Bool? {
        var value: Int32 = 0
        return basic("b", &value) ? value != 0 : nil
    }

    /// Returns a descriptor; the message keeps its own.
    package func descriptor() -> Descriptor? {
        var number: Int32 = -1
        guard basic("h", &number), number >= 0 else { return nil }
        // Without an available descriptor, the value counts as missing.
        return try? LentDescriptor(number).duplicate()
    }

    package func texts() -> [String]? {
        var texts: [String] = []
        let isWhole = each("a", "s") {
            guard let text = text() else { return false }
            texts.append(text)
            return true
        }
        return isWhole ? texts : nil
    }

    /// Returns the next variant; `nil`, after skipping it, if its content has an unsupported type.
    package func value() -> BusValue? {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        guard sd_bus_message_peek_type(handle, &type, &contents) > 0, let contents,
            sd_bus_message_enter_container(handle, type, contents) > 0
        else { return nil }
        let value = content(Unicode.Scalar(UInt8(bitPattern: contents.pointee)))
        if value == nil { sd_bus_message_skip(handle, contents) }
        sd_bus_message_exit_container(handle)
        return value
    }

    /// Calls `body` for each element of a container until it reports that it could not read one. Returns whether all were read.
    @discardableResult
    package func each(_ kind: Unicode.Scalar, _ contents: String, _ body: () -> Bool) -> Bool {
        guard sd_bus_message_enter_container(handle, CChar(UInt8(ascii: kind)), contents) >= 0 else { return false }
        while sd_bus_message_at_end(handle, 0) == 0 {
            guard body() else { return false }
        }
        return sd_bus_message_exit_container(handle) >= 0
    }

    private func text(_ type: Unicode.Scalar) -> String? {
        var pointer: UnsafePointer<CChar>?
        guard basic(type, &pointer), let pointer else { return nil }
        return String(cString: pointer)
    }

    private func basic(_ type: Unicode.Scalar, _ place: UnsafeMutableRawPointer) -> Bool {
        sd_bus_message_read_basic(handle, CChar(UInt8(ascii: type)), place) > 0
    }

    private func content(_ type: Unicode.Scalar) -> BusValue? {
        switch type {
        case "b": return flag().map(BusValue.flag)
        case "u": return number().map { .number(Int64($0)) }
        case "i":
            var value: Int32 = 0
            return basic("i", &value) ? .number(Int64(value)) : nil
        case "d":
            var value = 0.0
            return basic("d", &value) ? .real(value) : nil
        case "s", "o": return text(type).map(BusValue.text)
        default: return nil
        }
    }
}

/// The supported types of a variant's content.
package enum BusValue: Equatable {
    case flag(Bool)
    case number(Int64)
    case real(Double)
    case text(String)

    package var flag: Bool? { if case .flag(let value) = self { value } else { nil } }
    package var number: Int64? { if case .number(let value) = self { value } else { nil } }
    package var real: Double? { if case .real(let value) = self { value } else { nil } }
    package var text: String? { if case .text(let value) = self { value } else { nil } }
}

/// A signal of the bus, valid while it is being processed.
package struct BusSignal {
    package let interface: String
    package let member: String
    private let handle: OpaquePointer

    init?(_ handle: OpaquePointer) {
        guard sd_bus_message_is_signal(handle, nil, nil) > 0, let interface = sd_bus_message_get_interface(handle),
            let member = sd_bus_message_get_member(handle)
        else { return nil }
        self.handle = handle
        self.interface = String(cString: interface)
        self.member = String(cString: member)
    }

    package func read<Value>(_ body: (BusReader) -> Value?) -> Value? {
        body(BusReader(handle))
    }
}
