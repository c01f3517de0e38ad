import DesktopKit

/// What is asked in windows of their own.
enum Dialogs {
    /// Lets a person choose photos; none when the person thinks better of it.
    static func choosePhotos(over window: Widget) async -> [String] {
        await withCheckedContinuation { continuation in
            Files.choose(
                "Send Photos", kind: (name: "Photos", type: "image/*"), over: window,
                then: { continuation.resume(returning: $0) }, otherwise: { continuation.resume(returning: []) })
        }
    }

    /// Asks where the weather and the album are; `body` is called when they were said.
    static func askForAddresses(over window: Widget, then body: @escaping () -> Void) {
        let dialog: Widget = adw_message_dialog_new(
            window.cast(), "Addresses",
            "The weather is a line such as “Thunderstorm +17°C”. Photos are put into the album, one by one.")
        let list: Widget = gtk_list_box_new()
        gtk_widget_add_css_class(list, "boxed-list")
        gtk_list_box_set_selection_mode(list.cast(), GTK_SELECTION_NONE)
        let rows = [("Weather", Settings.weather), ("Album", Settings.album)].map { title, text in
            let row: Widget = adw_entry_row_new()
            adw_preferences_row_set_title(row.cast(), title)
            gtk_editable_set_text(row.cast(), text)
            adw_entry_row_set_activates_default(row.cast(), 1)
            gtk_list_box_append(list.cast(), row)
            return row
        }
        adw_message_dialog_set_extra_child(dialog.cast(), list)
        adw_message_dialog_add_response(dialog.cast(), "cancel", "_Cancel")
        adw_message_dialog_add_response(dialog.cast(), "save", "_Save")
        adw_message_dialog_set_response_appearance(dialog.cast(), "save", ADW_RESPONSE_SUGGESTED)
        adw_message_dialog_set_default_response(dialog.cast(), "save")
        adw_message_dialog_set_close_response(dialog.cast(), "cancel")
        let texts = { rows.map { String(cString: gtk_editable_get_text($0.cast())) } }
        let look = {
            let areAddresses = texts().allSatisfy { text in
                ["http://", "https://"].contains { text.hasPrefix($0) && text.count > $0.count }
            }
            adw_message_dialog_set_response_enabled(dialog.cast(), "save", areAddresses ? 1 : 0)
        }
        for row in rows { on(row, "changed", look) }
        look()
        on(
            dialog, "response",
            with: { arguments in
                guard arguments.string(1) == "save" else { return }
                Settings.set(weather: texts()[0], album: texts()[1])
                body()
            })
        gtk_window_present(dialog.cast())
    }
}
