import DesktopKit

/// Objects that are described in a file of GTK's builder, by their names in it. They live as long as this does.
final class Interface {
    private let builder: OpaquePointer

    init(_ description: [UInt8]) {
        builder = gtk_builder_new_from_string(String(decoding: description, as: UTF8.self), -1)!
    }

    isolated deinit { g_object_unref(builder.address) }

    subscript(_ name: String) -> UnsafeMutablePointer<GObject> {
        guard let object = gtk_builder_get_object(builder, name) else { preconditionFailure("there is no \(name)") }
        return object
    }
}
