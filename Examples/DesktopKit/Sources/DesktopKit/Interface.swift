/// Objects that a file of GTK's builder describes, by their names in it. They live at least as long as this does.
public final class Interface {
    private let builder: OpaquePointer

    /// Makes the objects. A description that GTK cannot read ends the process.
    public init(_ description: [UInt8]) {
        builder = gtk_builder_new_from_string(String(decoding: description, as: UTF8.self), -1)!
    }

    isolated deinit { g_object_unref(builder.address) }

    /// The object of that name. There must be one.
    public subscript(_ name: String) -> UnsafeMutablePointer<GObject> {
        guard let object = gtk_builder_get_object(builder, name) else {
            preconditionFailure("The description has no object \(name).")
        }
        return object
    }
}
