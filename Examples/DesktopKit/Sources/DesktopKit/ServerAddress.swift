/// The address of an app's server, which the user enters. It is stored in `~/.config/NAME/settings.ini`.
public struct ServerAddress {
    private static let (group, key) = ("Server", "address")
    private let directory: String
    private var path: String { directory + "/settings.ini" }

    /// Creates the address for the app with this name.
    public init(of name: String) {
        directory = String(cString: g_get_user_config_dir()) + "/" + name
    }

    /// The address; `nil` until the user has entered it.
    public var value: String? {
        let file = g_key_file_new()
        defer { g_key_file_unref(file) }
        // A missing file is the same as an empty one.
        g_key_file_load_from_file(file, path, G_KEY_FILE_NONE, nil)
        guard let text = g_key_file_get_string(file, Self.group, Self.key, nil) else { return nil }
        defer { g_free(text) }
        return text.pointee == 0 ? nil : String(cString: text)
    }

    /// Asks the user for the address, and calls `body` when it is saved.
    public func ask(_ title: String, _ words: String, over window: Widget, then body: @escaping () -> Void) {
        AddressDialog.ask(title, words, [(tr("Address"), value ?? "https://")], over: window) { addresses in
            keep(addresses[0])
            body()
        }
    }

    private func keep(_ address: String) {
        let file = g_key_file_new()
        defer { g_key_file_unref(file) }
        g_key_file_load_from_file(file, path, G_KEY_FILE_KEEP_COMMENTS, nil)
        g_key_file_set_string(file, Self.group, Self.key, address)
        g_mkdir_with_parents(directory, 0o700)
        // If the file cannot be written, the app asks for the address again.
        g_key_file_save_to_file(file, path, nil)
    }
}
