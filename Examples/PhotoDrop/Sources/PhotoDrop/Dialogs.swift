import DesktopKit

/// What is asked in windows of their own.
enum Dialogs {
    /// Lets a person choose photos, several at once.
    static func choose(over window: Widget, then body: @escaping ([String]) -> Void) {
        let chooser = gtk_file_chooser_native_new(
            "Add Photos", window.cast(), GTK_FILE_CHOOSER_ACTION_OPEN, "_Add", "_Cancel")!
        let photos = gtk_file_filter_new()
        gtk_file_filter_set_name(photos, "Photos")
        gtk_file_filter_add_mime_type(photos, "image/*")
        gtk_file_chooser_add_filter(chooser.cast(), photos)
        gtk_file_chooser_set_select_multiple(chooser.cast(), 1)
        on(
            chooser, "response",
            with: { arguments in
                defer { g_object_unref(chooser.address) }
                guard arguments.int(1) == Int(GTK_RESPONSE_ACCEPT.rawValue) else { return }
                let files = gtk_file_chooser_get_files(chooser.cast())
                defer { g_object_unref(files?.address) }
                body(
                    (0..<g_list_model_get_n_items(files)).compactMap { index in
                        let file = g_list_model_get_item(files, index)
                        defer { g_object_unref(file) }
                        return FilePath.of(file.map { OpaquePointer($0) })
                    })
            })
        gtk_native_dialog_show(chooser.cast())
    }

    /// Asks where photos go; `body` is called with an address that can be one.
    static func askForAlbum(over window: Widget, then body: @escaping () -> Void) {
        let dialog: Widget = adw_message_dialog_new(
            window.cast(), "Where Is Your Album?", "Photos are sent to this address as a form, one by one.")
        let row: Widget = adw_entry_row_new()
        adw_preferences_row_set_title(row.cast(), "Address, such as https://example.org/album")
        gtk_editable_set_text(row.cast(), Settings.address ?? "")
        adw_entry_row_set_activates_default(row.cast(), 1)
        let list: Widget = gtk_list_box_new()
        gtk_widget_add_css_class(list, "boxed-list")
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
                Settings.address = String(cString: gtk_editable_get_text(row.cast()))
                body()
            })
        gtk_window_present(dialog.cast())
    }

    static func about(over window: Widget, id: String) {
        let about: Widget = adw_about_window_new()
        adw_about_window_set_application_name(about.cast(), "Photo Drop")
        adw_about_window_set_application_icon(about.cast(), id)
        adw_about_window_set_developer_name(about.cast(), "An example of Longhaul")
        adw_about_window_set_comments(about.cast(), "Drop photos, and leave. They arrive once.")
        gtk_window_set_transient_for(about.cast(), window.cast())
        gtk_window_set_modal(about.cast(), 1)
        gtk_window_present(about.cast())
    }
}
