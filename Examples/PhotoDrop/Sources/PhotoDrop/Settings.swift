import DesktopKit

/// Where photos go: what the person said, kept in a file of the person's configuration.
struct Settings {
    private static let (group, key) = ("Album", "address")

    /// The address of the album; `nil` until there is one.
    static var address: String? {
        get {
            let file = load()
            defer { g_key_file_unref(file) }
            guard let text = g_key_file_get_string(file, group, key, nil) else { return nil }
            defer { g_free(text) }
            return String(cString: text)
        }
        set {
            let file = load()
            defer { g_key_file_unref(file) }
            g_key_file_set_string(file, group, key, newValue ?? "")
            g_mkdir_with_parents(directory, 0o700)
            // Without a place to write, the address holds until the app is left.
            g_key_file_save_to_file(file, path, nil)
        }
    }

    private static var directory: String { String(cString: g_get_user_config_dir()) + "/photo-drop" }
    private static var path: String { directory + "/settings.ini" }

    private static func load() -> OpaquePointer? {
        let file = g_key_file_new()
        // A file that is not there yet is an empty one.
        g_key_file_load_from_file(file, path, G_KEY_FILE_KEEP_COMMENTS, nil)
        return file
    }
}
