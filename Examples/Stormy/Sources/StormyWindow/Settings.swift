import DesktopKit
import StormWatch

/// The addresses of the weather server and the album, stored in a file in the user's configuration directory.
enum Settings {
    private static let group = "Addresses"

    static var weather: String { value("weather") }
    static var album: String { value("album") }

    /// The addresses and the path of the log; `nil` until the user has entered both addresses.
    static var places: StormWatch.Places? {
        guard !weather.isEmpty, !album.isEmpty else { return nil }
        let directory = String(cString: g_get_user_data_dir()) + "/stormy"
        g_mkdir_with_parents(directory, 0o700)
        return StormWatch.Places(weather: weather, album: album, log: directory + "/answers")
    }

    static func set(weather: String, album: String) {
        let file = load()
        defer { g_key_file_unref(file) }
        g_key_file_set_string(file, group, "weather", weather)
        g_key_file_set_string(file, group, "album", album)
        g_mkdir_with_parents(directory, 0o700)
        // If the file cannot be written, there are no addresses later, and the window asks for them again.
        g_key_file_save_to_file(file, path, nil)
    }

    private static func value(_ key: String) -> String {
        let file = load()
        defer { g_key_file_unref(file) }
        guard let text = g_key_file_get_string(file, group, key, nil) else { return "" }
        defer { g_free(text) }
        return String(cString: text)
    }

    private static var directory: String { String(cString: g_get_user_config_dir()) + "/stormy" }
    private static var path: String { directory + "/settings.ini" }

    private static func load() -> OpaquePointer? {
        let file = g_key_file_new()
        // A missing file is the same as an empty one.
        g_key_file_load_from_file(file, path, G_KEY_FILE_KEEP_COMMENTS, nil)
        return file
    }
}
