/// The address of an app's server: what the person said, kept in a file of the person's configuration,
/// `~/.config/NAME/settings.ini`.
public struct ServerAddress {
    private static let (group, key) = ("Server", "address")
    private let directory: String
    private var path: String { directory + "/settings.ini" }

    /// The address that the app of this name has.
    public init(of name: String) {
        directory = String(cString: g_get_user_config_dir()) + "/" + name
    }

    /// The address; `nil` until there is one.
    public var value: String? {
        let file = g_key_file_new()
        defer { g_key_file_unref(file) }
        // A file that is not there yet is an empty one.
        g_key_file_load_from_file(file, path, G_KEY_FILE_NONE, nil)
        guard let text = g_key_file_get_string(file, Self.group, Self.key, nil) else { return nil }
        defer { g_free(text) }
        return text.pointee == 0 ? nil : String(cString: text)
    }

    /// Asks for it; `body` is called when it is kept.
    public func ask(_ title: String, _ words: String, over window: Widget, then body: @escaping () -> Void) {
        let dialog: Widget = adw_message_dialog_new(window.cast(), title, words)
        let row: Widget = adw_entry_row_new()
        adw_preferences_row_set_title(row.cast(), "Address")
        gtk_editable_set_text(row.cast(), value ?? "https://")
        adw_entry_row_set_activates_default(row.cast(), 1)
        let list: Widget = gtk_list_box_new()
        gtk_widget_add_css_class(list, "boxed-list")
        gtk_list_box_set_selection_mode(list.cast(), GTK_SELECTION_NONE)
        gtk_list_box_append(list.cast(), row)
        adw_message_dialog_set_extra_child(dialog.cast(), list)
        adw_message_dialog_add_response(dialog.cast(), "cancel", "_Cancel")
        adw_message_dialog_add_response(dialog.cast(), "save", "_Save")
        adw_message_dialog_set_response_appearance(dialog.cast(), "save", ADW_RESPONSE_SUGGESTED)
        adw_message_dialog_set_default_response(dialog.cast(), "save")
        adw_message_dialog_set_close_response(dialog.cast(), "cancel")
        let look = {
            let text = String(cString: gtk_editable_get_text(row.cast()))
            let isAddress = ["http://", "https://"].contains { text.hasPrefix($0) && text.count > $0.count }
            adw_message_dialog_set_response_enabled(dialog.cast(), "save", isAddress ? 1 : 0)
        }
        on(row, "changed", look)
        look()
        on(
            dialog, "response",
            with: { arguments in
                guard arguments.string(1) == "save" else { return }
                keep(String(cString: gtk_editable_get_text(row.cast())))
                body()
            })
        gtk_window_present(dialog.cast())
    }

    private func keep(_ address: String) {
        let file = g_key_file_new()
        defer { g_key_file_unref(file) }
        g_key_file_load_from_file(file, path, G_KEY_FILE_KEEP_COMMENTS, nil)
        g_key_file_set_string(file, Self.group, Self.key, address)
        g_mkdir_with_parents(directory, 0o700)
        // Where nothing can be written, the person is asked again.
        g_key_file_save_to_file(file, path, nil)
    }
}
