/// The toasts of a window: one that stays while a transfer is active, and short messages that disappear automatically.
///
/// ```swift
/// let toast = ProgressToast(over: overlay, above: list)
/// toast.show("Uploading 3 photos", detail: "42%")
/// toast.end()
/// toast.say("3 photos are in the album")
/// ```
///
/// A toast is a sentence; progress bars are in the rows (`ProgressRow`). While a toast is visible, the content ends above it, so that
/// the toast covers no row.
///
/// The overlay gets a toast only after the previous one has left the screen: libadwaita 1.2 crashes if a toast that replaced another
/// one is dismissed before it has slid in.
public final class ProgressToast {
    private enum Shown {
        case lasting(Lasting)
        case words(OpaquePointer)
    }

    private struct Lasting {
        var toast: OpaquePointer
        var title: Widget
    }

    private struct ToastText {
        var text: String
        var button: Button?
    }

    private enum Button {
        case action(_ words: String, name: String)
        case closure(_ words: String, () -> Void)
    }

    /// The height of a toast with its margins.
    private static let height: gint = 76

    private let overlay: Widget
    private let content: Widget?
    private var shown: Shown? {
        didSet { if let content { gtk_widget_set_margin_bottom(content, shown == nil ? 0 : Self.height) } }
    }
    /// The frame in which the visible toast was added.
    private var frame: gint64 = 0
    private var progress: (title: String, detail: String?)?
    private var words: [ToastText] = []
    /// The title that the user dismissed. It is not shown again until the title changes.
    private var putAway: String?
    private lazy var nextFrame = EachFrame(overlay) { [weak self] in self?.bringUpToDate() }

    /// Creates the toasts of an `AdwToastOverlay`, which must not have other ones. `content` gets a margin at the bottom while a toast
    /// is visible, such as a list that scrolls.
    public init(over overlay: Widget, above content: Widget? = nil) {
        self.overlay = overlay
        self.content = content
    }

    /// Shows the toast that stays, or changes its text. The detail, such as a percentage, may change often: a dismissed
    /// toast returns with another title, and not with another detail.
    public func show(_ title: String, detail: String? = nil) {
        progress = title == putAway ? nil : (title, detail)
        bringUpToDate()
    }

    /// Removes the toast that stays, after the last transfer has ended.
    public func end() {
        (progress, putAway) = (nil, nil)
        bringUpToDate()
    }

    /// Shows a short message. With a button, it stays until the user dismisses it or presses the button. The action is one of the
    /// application, such as `app.try-again`.
    public func say(_ text: String, button: (words: String, action: String)? = nil) {
        words.append(ToastText(text: text, button: button.map { .action($0.words, name: $0.action) }))
        bringUpToDate()
    }

    /// Shows a short message with a button, which disappears after some seconds.
    public func say(_ text: String, button: String, then act: @escaping () -> Void) {
        words.append(ToastText(text: text, button: .closure(button, act)))
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
        // Other children of the overlay are toasts that are still sliding out.
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

    /// Dismisses a toast, but not in the frame in which it was added: it would leave before it has slid in.
    private func dismiss(_ toast: OpaquePointer) {
        guard currentFrame > frame + 1 || gtk_widget_get_mapped(overlay) == 0 else { return nextFrame.ask() }
        adw_toast_dismiss(toast)
    }

    private var currentFrame: gint64 {
        gtk_widget_get_frame_clock(overlay).map { gdk_frame_clock_get_frame_counter($0) } ?? 0
    }

    private func fill(_ lasting: Lasting, _ progress: (title: String, detail: String?)) {
        gtk_label_set_text(lasting.title.cast(), progress.title + (progress.detail.map { ", " + $0 } ?? ""))
    }

    private func makeLasting() -> Lasting {
        let title = label("", "heading", "numeric")
        return Lasting(toast: make(title, stays: true), title: title)
    }

    private func make(_ words: ToastText) -> OpaquePointer {
        let title = label(words.text, "heading")
        switch words.button {
        case .action(let words, let name):
            let toast = make(title, stays: true)
            adw_toast_set_button_label(toast, words)
            adw_toast_set_action_name(toast, name)
            return toast
        case .closure(let words, let act):
            let toast = make(title)
            adw_toast_set_button_label(toast, words)
            on(toast, "button-clicked", act)
            return toast
        case nil: return make(title)
        }
    }

    /// Returns a toast whose title is a widget, because file names must not be parsed as markup.
    private func make(_ title: Widget, stays: Bool = false) -> OpaquePointer {
        let toast: OpaquePointer = adw_toast_new("")
        adw_toast_set_custom_title(toast, title)
        adw_toast_set_timeout(toast, stays ? 0 : 6)
        on(toast, "dismissed") { [weak self] in self?.left() }
        return toast
    }

    /// Handles the end of the toast on the screen: the user or the app dismissed it, or its time was over.
    private func left() {
        if case .lasting = shown, let title = progress?.title { (progress, putAway) = (nil, title) }
        shown = nil
        nextFrame.ask()
    }
}
