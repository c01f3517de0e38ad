/// The toasts of a window: one that stays, with words and a bar that fills, while something is under way; and short words
/// that go by themselves.
public final class ProgressToast {
    private struct Lasting {
        var toast: OpaquePointer
        var title: Widget
        var bar: Widget
    }

    private let overlay: Widget
    private var lasting: Lasting?
    private var shown: String?
    /// What a person has put away: it does not come back before there is something else to say.
    private var putAway: String?
    /// The last of the short words, while it is shown.
    private var last: OpaquePointer?

    /// The toasts over an `AdwToastOverlay`.
    public init(over overlay: Widget) {
        self.overlay = overlay
    }

    /// Shows the toast that stays, or changes what it says. `fraction` is from 0 to 1; without it
    /// there is no bar.
    public func show(_ title: String, fraction: Double?) {
        shown = title
        if lasting == nil {
            guard title != putAway else { return }
            if let last { adw_toast_dismiss(last) }
            lasting = begin()
        }
        guard let lasting else { return }
        gtk_label_set_text(lasting.title.cast(), title)
        gtk_progress_bar_set_fraction(lasting.bar.cast(), fraction ?? 0)
        gtk_widget_set_visible(lasting.bar, fraction == nil ? 0 : 1)
    }

    /// Takes the toast that stays away: nothing is under way any more.
    public func end() {
        let toast = lasting?.toast
        (lasting, putAway) = (nil, nil)
        if let toast { adw_toast_dismiss(toast) }
    }

    /// A short word; with a button it stays until it is answered. The action is one of the application (`app.try-again`).
    public func say(_ text: String, button: (words: String, action: String)? = nil) {
        let toast = make(label(text, "heading"), stays: button != nil) { [weak self] in
            if self?.last == $0 { self?.last = nil }
        }
        if let button {
            adw_toast_set_button_label(toast, button.words)
            adw_toast_set_action_name(toast, button.action)
        }
        last = toast
        adw_toast_overlay_add_toast(overlay.cast(), toast)
    }

    private func begin() -> Lasting {
        let title = label("", "heading")
        let bar: Widget = gtk_progress_bar_new()
        gtk_widget_set_size_request(bar, 200, -1)
        desktop_set_label(bar, "Progress")
        let words = box(GTK_ORIENTATION_VERTICAL, spacing: 6, title, bar)
        gtk_widget_set_valign(words, GTK_ALIGN_CENTER)
        let toast = make(words, stays: true) { [weak self] in
            guard let self, lasting?.toast == $0 else { return }
            (lasting, putAway) = (nil, shown)
        }
        adw_toast_overlay_add_toast(overlay.cast(), toast)
        return Lasting(toast: toast, title: title, bar: bar)
    }

    /// The title is a widget, as names of files are no markup.
    private func make(
        _ title: Widget, stays: Bool, dismissed: @escaping (OpaquePointer) -> Void
    ) -> OpaquePointer {
        let toast: OpaquePointer = adw_toast_new("")
        adw_toast_set_custom_title(toast, title)
        adw_toast_set_timeout(toast, stays ? 0 : 6)
        on(toast, "dismissed") { dismissed(toast) }
        return toast
    }
}
