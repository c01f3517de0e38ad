/// Additions to the style of libadwaita.
public enum Style {
    /// Adds CSS rules for the whole display. Must be called after the application has started.
    public static func add(_ css: String) {
        let provider = gtk_css_provider_new()
        gtk_css_provider_load_from_data(provider, css, -1)
        gtk_style_context_add_provider_for_display(
            gdk_display_get_default(), provider?.cast(), guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION))
        if let provider { g_object_unref(provider.address) }
    }

    /// The rules for the widgets of DesktopKit. An application adds them when it starts, before the app's rules.
    ///
    /// The rows of a `RowList` look like a boxed list of libadwaita, which cannot create rows on demand. The lines at the sides must not
    /// extend beyond their row: in the dark style, other rows are translucent and would show them.
    static let shared = """
        statuspage > scrolledwindow > viewport > box { margin: 36px 30px; }
        clamp.page { padding: 18px 12px 24px; }
        .progress-row { padding: 12px; }
        listview.boxed-rows { background: none; padding: 18px 12px 24px; }
        listview.boxed-rows > row {
            padding: 8px 12px 8px 14px; background: @card_bg_color; color: @card_fg_color;
            border-bottom: 1px solid @card_shade_color; outline-offset: -2px;
            box-shadow: 1px 0 alpha(black, 0.05), -1px 0 alpha(black, 0.05);
        }
        listview.boxed-rows > row:hover { background: mix(@card_bg_color, currentColor, 0.04); }
        listview.boxed-rows > row:selected { background: mix(@card_bg_color, @accent_bg_color, 0.15); }
        listview.boxed-rows > row:first-child {
            border-top-left-radius: 12px; border-top-right-radius: 12px;
            box-shadow: 1px 0 alpha(black, 0.05), -1px 0 alpha(black, 0.05), 0 -1px alpha(black, 0.03);
        }
        listview.boxed-rows > row:last-child {
            border-bottom: none; border-bottom-left-radius: 12px; border-bottom-right-radius: 12px;
            box-shadow: 1px 0 alpha(black, 0.05), -1px 0 alpha(black, 0.05), 0 2px 3px -1px alpha(black, 0.1), 0 3px 6px -2px alpha(black, 0.06);
        }
        """
}
