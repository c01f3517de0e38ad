// Functions for the widgets that every window has many of.

/// Returns a box with widgets next to or below each other.
public func box(_ orientation: GtkOrientation, spacing: Int = 0, _ children: Widget...) -> Widget {
    let box: Widget = gtk_box_new(orientation, gint(spacing))
    for child in children { gtk_box_append(box.cast(), child) }
    return box
}

/// Returns a line of text, which is shortened in the middle or at the end if the space is too small.
public func label(_ text: String = "", _ classes: String..., cut: PangoEllipsizeMode = PANGO_ELLIPSIZE_END) -> Widget {
    let label: Widget = gtk_label_new(text)
    gtk_label_set_xalign(label.cast(), 0)
    gtk_label_set_ellipsize(label.cast(), cut)
    for name in classes { gtk_widget_add_css_class(label, name) }
    return label
}

/// Returns a flat button with an icon. `words` is its tooltip, and its name for assistive tools.
public func iconButton(_ icon: String, _ words: String, _ body: @escaping () -> Void) -> Widget {
    let button: Widget = gtk_button_new_from_icon_name(icon)
    gtk_widget_add_css_class(button, "flat")
    gtk_widget_set_valign(button, GTK_ALIGN_CENTER)
    name(button, words)
    on(button, "clicked", body)
    return button
}

/// Sets the tooltip of a widget without text, and its name for assistive tools.
public func name(_ widget: Widget, _ words: String) {
    gtk_widget_set_tooltip_text(widget, words)
    desktop_set_label(widget, words)
}

/// Returns a sentence whose last three words stay on one line, so that a narrow page does not end with a single word.
public func lastWordsTogether(_ sentence: String) -> String {
    let words = sentence.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count > 4 else { return sentence }
    return (words.dropLast(3).map(String.init) + [words.suffix(3).joined(separator: "\u{A0}")]).joined(separator: " ")
}

/// Returns a list of rows on a card.
public func boxedList(_ words: String, _ rows: Widget...) -> Widget {
    let list: Widget = gtk_list_box_new()
    gtk_widget_add_css_class(list, "boxed-list")
    gtk_widget_set_valign(list, GTK_ALIGN_START)
    gtk_list_box_set_selection_mode(list.cast(), GTK_SELECTION_NONE)
    desktop_set_label(list, words)
    for row in rows { gtk_list_box_append(list.cast(), row) }
    return list
}

/// Returns a page that scrolls, with a limited width, so that lines stay readable.
public func scrolledPage(_ content: Widget) -> Widget {
    let clamp: Widget = adw_clamp_new()
    adw_clamp_set_child(clamp.cast(), content)
    gtk_widget_add_css_class(clamp, "page")
    let scroll: Widget = gtk_scrolled_window_new()
    gtk_scrolled_window_set_policy(scroll.cast(), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
    gtk_scrolled_window_set_child(scroll.cast(), clamp)
    return scroll
}

/// Returns a window with a header bar, its content, and toasts over the content. Show it with `gtk_window_present`.
public func window(
    _ title: String, of application: Application, width: Int, height: Int, header: Widget = adw_header_bar_new(),
    toasts: Widget, _ content: Widget
) -> Widget {
    let window: Widget = adw_application_window_new(application.raw.cast())
    gtk_window_set_title(window.cast(), title)
    gtk_window_set_icon_name(window.cast(), application.id)
    gtk_window_set_default_size(window.cast(), gint(width), gint(height))
    adw_toast_overlay_set_child(toasts.cast(), content)
    gtk_widget_set_vexpand(toasts, 1)
    adw_application_window_set_content(window.cast(), box(GTK_ORIENTATION_VERTICAL, header, toasts))
    return window
}

/// Returns a page with a single message and a single button.
public func statusPage(
    icon: String, title: String, description: String = "", button: String, style: String...,
    then body: @escaping () -> Void
) -> Widget {
    let page: Widget = adw_status_page_new()
    adw_status_page_set_icon_name(page.cast(), icon)
    adw_status_page_set_title(page.cast(), title)
    adw_status_page_set_description(page.cast(), lastWordsTogether(description))
    let button: Widget = gtk_button_new_with_label(button)
    for name in ["pill"] + style { gtk_widget_add_css_class(button, name) }
    gtk_widget_set_halign(button, GTK_ALIGN_CENTER)
    on(button, "clicked", body)
    adw_status_page_set_child(page.cast(), button)
    return page
}

/// Shows the window about the app.
public func showAbout(_ name: String, _ words: String, of application: Application, over window: Widget) {
    let about: Widget = adw_about_window_new()
    adw_about_window_set_application_name(about.cast(), name)
    adw_about_window_set_application_icon(about.cast(), application.id)
    adw_about_window_set_comments(about.cast(), words)
    gtk_window_set_transient_for(about.cast(), window.cast())
    gtk_window_set_modal(about.cast(), 1)
    gtk_window_present(about.cast())
}
