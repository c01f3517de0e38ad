/// What an app adds to the style of libadwaita.
public enum Style {
    /// Adds rules, for the whole display. Call it when the application has started.
    public static func add(_ css: String) {
        let provider = gtk_css_provider_new()
        gtk_css_provider_load_from_data(provider, css, -1)
        gtk_style_context_add_provider_for_display(
            gdk_display_get_default(), provider?.cast(), guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION))
        if let provider { g_object_unref(provider.address) }
    }
}
