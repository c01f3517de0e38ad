/// Returns the button of the main menu. Each item has a text and the name of its action, such as `app.refresh`. Below the items are
/// the keyboard shortcuts (``setShortcuts``) and the window about the app (`app.about`).
public func menuButton(_ items: (words: String, action: String)..., about: String) -> Widget {
    let menu = g_menu_new()
    for section in [items, [(tr("_Keyboard Shortcuts"), "win.show-help-overlay"), (about, "app.about")]] {
        let part = g_menu_new()
        for item in section { g_menu_append(part, item.words, item.action) }
        g_menu_append_section(menu, nil, part?.cast())
        if let part { g_object_unref(part.address) }
    }
    let button: Widget = gtk_menu_button_new()
    gtk_menu_button_set_icon_name(button.cast(), "open-menu-symbolic")
    gtk_menu_button_set_primary(button.cast(), 1)
    gtk_menu_button_set_menu_model(button.cast(), menu?.cast())
    name(button, tr("Main Menu"))
    if let menu { g_object_unref(menu.address) }
    return button
}

/// Sets the keyboard shortcuts that the menu shows: texts for actions such as `app.refresh`. GTK adds the keys of the actions.
public func setShortcuts(of window: Widget, _ shortcuts: (words: String, action: String)...) {
    let rows = shortcuts.map { shortcut in
        let words = g_markup_escape_text(shortcut.words, -1)
        defer { g_free(words) }
        let title = words.map { String(cString: $0) } ?? ""
        return """
            <child><object class="GtkShortcutsShortcut"><property name="title">\(title)</property>
            <property name="action-name">\(shortcut.action)</property></object></child>
            """
    }
    // GTK can build this window only from a description.
    let form = """
        <interface><object class="GtkShortcutsWindow" id="shortcuts"><property name="modal">1</property>
        <child><object class="GtkShortcutsSection"><property name="section-name">shortcuts</property>
        <child><object class="GtkShortcutsGroup">\(rows.joined())</object></child></object></child></object></interface>
        """
    guard let builder = gtk_builder_new_from_string(form, -1) else { return }
    if let overlay = gtk_builder_get_object(builder, "shortcuts") {
        gtk_application_window_set_help_overlay(window.cast(), overlay.cast())
    }
    g_object_unref(builder.address)
}
