/// The few widgets that every window has many of.

/// Widgets beside or below each other.
public func box(_ orientation: GtkOrientation, spacing: Int = 0, _ children: Widget...) -> Widget {
    let box: Widget = gtk_box_new(orientation, gint(spacing))
    for child in children { gtk_box_append(box.cast(), child) }
    return box
}

/// One line of text that is cut in its middle or at its end when there is no room.
public func label(_ text: String = "", _ classes: String..., cut: PangoEllipsizeMode = PANGO_ELLIPSIZE_END) -> Widget {
    let label: Widget = gtk_label_new(text)
    gtk_label_set_xalign(label.cast(), 0)
    gtk_label_set_ellipsize(label.cast(), cut)
    for name in classes { gtk_widget_add_css_class(label, name) }
    return label
}

/// A flat button with an icon. The words are its tooltip, and what assistive tools read.
public func iconButton(_ icon: String, _ words: String, _ body: @escaping () -> Void) -> Widget {
    let button: Widget = gtk_button_new_from_icon_name(icon)
    gtk_widget_add_css_class(button, "flat")
    gtk_widget_set_valign(button, GTK_ALIGN_CENTER)
    name(button, words)
    on(button, "clicked", body)
    return button
}

/// Names a widget that has no words of its own, for its tooltip and for assistive tools.
public func name(_ widget: Widget, _ words: String) {
    gtk_widget_set_tooltip_text(widget, words)
    desktop_set_label(widget, words)
}

/// A page that says one thing, and has one button for it.
public func statusPage(
    icon: String, title: String, description: String = "", button: String, style: String...,
    then body: @escaping () -> Void
) -> Widget {
    let page: Widget = adw_status_page_new()
    adw_status_page_set_icon_name(page.cast(), icon)
    adw_status_page_set_title(page.cast(), title)
    adw_status_page_set_description(page.cast(), description)
    let button: Widget = gtk_button_new_with_label(button)
    for name in ["pill"] + style { gtk_widget_add_css_class(button, name) }
    gtk_widget_set_halign(button, GTK_ALIGN_CENTER)
    on(button, "clicked", body)
    adw_status_page_set_child(page.cast(), button)
    return page
}

/// The main menu: words, and the action that each stands for (`app.quit`).
public func menuButton(_ items: (words: String, action: String)...) -> Widget {
    let menu = g_menu_new()
    for item in items { g_menu_append(menu, item.words, item.action) }
    let button: Widget = gtk_menu_button_new()
    gtk_menu_button_set_icon_name(button.cast(), "open-menu-symbolic")
    gtk_menu_button_set_primary(button.cast(), 1)
    gtk_menu_button_set_menu_model(button.cast(), menu?.cast())
    name(button, "Main Menu")
    if let menu { g_object_unref(menu.address) }
    return button
}

/// Says what the app is.
public func showAbout(_ name: String, _ words: String, of application: Application, over window: Widget) {
    let about: Widget = adw_about_window_new()
    adw_about_window_set_application_name(about.cast(), name)
    adw_about_window_set_application_icon(about.cast(), application.id)
    adw_about_window_set_comments(about.cast(), words)
    gtk_window_set_transient_for(about.cast(), window.cast())
    gtk_window_set_modal(about.cast(), 1)
    gtk_window_present(about.cast())
}
