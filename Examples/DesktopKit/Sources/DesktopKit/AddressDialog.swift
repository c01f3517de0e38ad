/// A dialog that asks the user for addresses.
public enum AddressDialog {
    /// Shows the dialog. `rows` has the name and the present value of each address. If the user saves, `body` receives the new
    /// addresses in the same order. Saving is possible only while all entries are HTTP addresses.
    public static func ask(
        _ title: String, _ words: String, _ rows: [(name: String, address: String)], over window: Widget,
        then body: @escaping ([String]) -> Void
    ) {
        let dialog: Widget = adw_message_dialog_new(window.cast(), title, words)
        let list = boxedList(title)
        let entries = rows.map { name, address in
            let row: Widget = adw_entry_row_new()
            adw_preferences_row_set_title(row.cast(), name)
            gtk_editable_set_text(row.cast(), address)
            adw_entry_row_set_activates_default(row.cast(), 1)
            gtk_list_box_append(list.cast(), row)
            return row
        }
        adw_message_dialog_set_extra_child(dialog.cast(), list)
        adw_message_dialog_add_response(dialog.cast(), "cancel", tr("_Cancel"))
        adw_message_dialog_add_response(dialog.cast(), "save", tr("_Save"))
        adw_message_dialog_set_response_appearance(dialog.cast(), "save", ADW_RESPONSE_SUGGESTED)
        adw_message_dialog_set_default_response(dialog.cast(), "save")
        adw_message_dialog_set_close_response(dialog.cast(), "cancel")
        let texts = { entries.map { String(cString: gtk_editable_get_text($0.cast())) } }
        let look = {
            let areAddresses = texts().allSatisfy { text in
                ["http://", "https://"].contains { text.hasPrefix($0) && text.count > $0.count }
            }
            adw_message_dialog_set_response_enabled(dialog.cast(), "save", areAddresses ? 1 : 0)
        }
        for entry in entries { on(entry, "changed", look) }
        look()
        on(dialog, "response", with: { if $0.string(1) == "save" { body(texts()) } })
        gtk_window_present(dialog.cast())
    }
}
