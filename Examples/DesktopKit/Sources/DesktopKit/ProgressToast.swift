/// The toasts of a window: one that stays, with words and a bar that fills, while something is under way; and short words
/// that go by themselves.
///
/// They come one after the other: the overlay gets a toast when the one before has left the screen. libadwaita 1.2 crashes when a
/// toast that replaced another leaves before it has slid in.
public final class ProgressToast {
    private enum Shown {
        case lasting(Lasting)
        case words(OpaquePointer)
    }

    private struct Lasting {
        var toast: OpaquePointer
        var title: Widget
        var bar: Widget
    }

    private struct Words {
        var text: String
        var button: (words: String, action: String)?
    }

    private let overlay: Widget
    private var shown: Shown?
    /// The frame in which it was added.
    private var frame: gint64 = 0
    private var progress: (title: String, fraction: Double?)?
    private var words: [Words] = []
    /// What a person has put away: it does not come back before there is something else to say.
    private var putAway: String?
    private lazy var nextFrame = EachFrame(overlay) { [weak self] in self?.bringUpToDate() }

    /// The toasts over an `AdwToastOverlay`, which has no others.
    public init(over overlay: Widget) {
        self.overlay = overlay
    }

    /// Shows the toast that stays, or changes what it says. `fraction` is from 0 to 1; without it
    /// there is no bar.
    public func show(_ title: String, fraction: Double?) {
        progress = title == putAway ? nil : (title, fraction)
        bringUpToDate()
    }

    /// Takes the toast that stays away: nothing is under way any more.
    public func end() {
        (progress, putAway) = (nil, nil)
        bringUpToDate()
    }

    /// A short word; with a button it stays until it is answered. The action is one of the application (`app.try-again`).
    public func say(_ text: String, button: (words: String, action: String)? = nil) {
        words.append(Words(text: text, button: button))
        bringUpToDate()
    }

    private func bringUpToDate() {
        switch (shown, progress) {
        case (.lasting(let lasting), let progress?): fill(lasting, progress)
        case (.lasting(let lasting), nil): dismiss(lasting.toast)
        case (.words(let toast), .some): dismiss(toast)
        case (.words, nil): break
        case (nil, .some), (nil, nil): addNext()
        }
    }

    private func addNext() {
        guard progress != nil || !words.isEmpty else { return }
        // Beside its child the overlay has those that are leaving.
        let last = gtk_widget_get_last_child(overlay)
        guard last == nil || last == adw_toast_overlay_get_child(overlay.cast()) else { return nextFrame.ask() }
        frame = currentFrame
        if let progress {
            let lasting = makeLasting()
            fill(lasting, progress)
            shown = .lasting(lasting)
            adw_toast_overlay_add_toast(overlay.cast(), lasting.toast)
        } else {
            let toast = make(words.removeFirst())
            shown = .words(toast)
            adw_toast_overlay_add_toast(overlay.cast(), toast)
        }
    }

    /// Not in the frame in which it was added: it would be gone before its slide-in has ended.
    private func dismiss(_ toast: OpaquePointer) {
        guard currentFrame > frame + 1 || gtk_widget_get_mapped(overlay) == 0 else { return nextFrame.ask() }
        adw_toast_dismiss(toast)
    }

    private var currentFrame: gint64 {
        gtk_widget_get_frame_clock(overlay).map { gdk_frame_clock_get_frame_counter($0) } ?? 0
    }

    private func fill(_ lasting: Lasting, _ progress: (title: String, fraction: Double?)) {
        gtk_label_set_text(lasting.title.cast(), progress.title)
        gtk_progress_bar_set_fraction(lasting.bar.cast(), progress.fraction ?? 0)
        gtk_widget_set_visible(lasting.bar, progress.fraction == nil ? 0 : 1)
    }

    private func makeLasting() -> Lasting {
        let title = label("", "heading")
        let bar: Widget = gtk_progress_bar_new()
        gtk_widget_set_size_request(bar, 200, -1)
        desktop_set_label(bar, "Progress")
        let content = box(GTK_ORIENTATION_VERTICAL, spacing: 6, title, bar)
        gtk_widget_set_valign(content, GTK_ALIGN_CENTER)
        return Lasting(toast: make(content, stays: true), title: title, bar: bar)
    }

    private func make(_ words: Words) -> OpaquePointer {
        let toast = make(label(words.text, "heading"), stays: words.button != nil)
        if let button = words.button {
            adw_toast_set_button_label(toast, button.words)
            adw_toast_set_action_name(toast, button.action)
        }
        return toast
    }

    /// The title is a widget, as names of files are no markup.
    private func make(_ title: Widget, stays: Bool) -> OpaquePointer {
        let toast: OpaquePointer = adw_toast_new("")
        adw_toast_set_custom_title(toast, title)
        adw_toast_set_timeout(toast, stays ? 0 : 6)
        on(toast, "dismissed") { [weak self] in self?.left() }
        return toast
    }

    /// The toast on the screen has been put away, by a person, by this or by time.
    private func left() {
        if case .lasting = shown, let title = progress?.title { (progress, putAway) = (nil, title) }
        shown = nil
        nextFrame.ask()
    }
}
