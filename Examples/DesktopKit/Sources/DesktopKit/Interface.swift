/// The objects of a GtkBuilder description, by their names. They exist at least as long as this object.
public final class Interface {
    private let builder: OpaquePointer

    /// Creates the objects. Traps if GTK cannot read the description.
    public init(_ description: [UInt8]) {
        builder = gtk_builder_new_from_string(String(decoding: description, as: UTF8.self), -1)!
    }

    isolated deinit { g_object_unref(builder.address) }

    /// The object with this name. Traps if there is no such object.
    public subscript(_ name: String) -> UnsafeMutablePointer<GObject> {
        guard let object = gtk_builder_get_object(builder, name) else {
            preconditionFailure("The description has no object \(name).")
        }
        return object
    }
}
