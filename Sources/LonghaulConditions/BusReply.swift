import CSystemd
import Glibc
import LonghaulIPC

/// An answer that came over a bus; it is freed with the value.
final class BusReply {
    private let message: OpaquePointer

    init(_ message: OpaquePointer) {
        self.message = message
    }

    deinit {
        sd_bus_message_unref(message)
    }

    var reading: BusReading { BusReading(message) }

    /// A descriptor that came with the answer; the message keeps its own.
    var descriptor: Descriptor? {
        var number: Int32 = -1
        guard reading.basic("h", &number), number >= 0 else { return nil }
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
        return copy >= 0 ? Descriptor(copy) : nil
    }
}

/// Reads a message from where it is.
struct BusReading {
    private let message: OpaquePointer

    init(_ message: OpaquePointer) {
        self.message = message
    }

    /// Reads one value of a basic type into memory of that type.
    func basic(_ type: Unicode.Scalar, _ place: UnsafeMutableRawPointer) -> Bool {
        sd_bus_message_read_basic(message, CChar(UInt8(ascii: type)), place) > 0
    }

    func text(_ type: Unicode.Scalar = "s") -> String? {
        var pointer: UnsafePointer<CChar>?
        guard basic(type, &pointer), let pointer else { return nil }
        return String(cString: pointer)
    }

    /// The variant that comes next; `nil` for one whose content is of another type, which is passed over.
    func value() -> BusValue? {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        guard sd_bus_message_peek_type(message, &type, &contents) > 0, let contents,
            sd_bus_message_enter_container(message, type, contents) > 0
        else { return nil }
        let value = content(Unicode.Scalar(UInt8(bitPattern: contents.pointee)))
        if value == nil { sd_bus_message_skip(message, contents) }
        sd_bus_message_exit_container(message)
        return value
    }

    /// Calls `body` for each element of a container until it says that it could not read one. Whether all were read.
    @discardableResult
    func each(_ kind: Unicode.Scalar, _ contents: String, _ body: () -> Bool) -> Bool {
        guard sd_bus_message_enter_container(message, CChar(UInt8(ascii: kind)), contents) > 0 else { return false }
        while sd_bus_message_at_end(message, 0) == 0 {
            guard body() else { return false }
        }
        return sd_bus_message_exit_container(message) > 0
    }

    private func content(_ type: Unicode.Scalar) -> BusValue? {
        switch type {
        case "b":
            var value: Int32 = 0
            return basic("b", &value) ? .flag(value != 0) : nil
        case "u":
            var value: UInt32 = 0
            return basic("u", &value) ? .number(Int64(value)) : nil
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
