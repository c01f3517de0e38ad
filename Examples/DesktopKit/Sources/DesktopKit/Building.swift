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
