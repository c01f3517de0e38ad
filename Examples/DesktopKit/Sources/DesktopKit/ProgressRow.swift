/// A row of a boxed list for one transfer: a picture, the name, a line of text, a bar during the transfer, and optional widgets
/// at the end.
///
/// ```swift
/// let row = ProgressRow("sunset.jpg", picture: gtk_image_new_from_icon_name("image-x-generic-symbolic"))
/// gtk_list_box_append(list.cast(), row.widget)
/// row.show(snapshot, done: "In the album")
/// ```
///
/// The widget keeps this object alive as long as it is in a list. For thousands of rows use `RowList`, which creates rows only for
/// visible items.
public final class ProgressRow {
    /// The row (`GtkListBoxRow`).
    public let widget: Widget = gtk_list_box_row_new()
    private let line = label("", "caption", cut: PANGO_ELLIPSIZE_NONE)
    private let bar: Widget = gtk_progress_bar_new()
    private var open: () -> Void = {}

    /// Creates the row. `after` is at the end of the row, such as icons and buttons.
    public init(_ name: String, picture: Widget, after: [Widget] = []) {
        gtk_widget_set_valign(picture, GTK_ALIGN_CENTER)
        gtk_label_set_wrap(line.cast(), 1)
        gtk_label_set_wrap_mode(line.cast(), PANGO_WRAP_WORD_CHAR)
        let words = box(GTK_ORIENTATION_VERTICAL, spacing: 4, label(name, cut: PANGO_ELLIPSIZE_MIDDLE), line, bar)
        gtk_widget_set_hexpand(words, 1)
        gtk_widget_set_valign(words, GTK_ALIGN_CENTER)
        let row = box(GTK_ORIENTATION_HORIZONTAL, spacing: 12, picture, words)
        for widget in after {
            gtk_widget_set_valign(widget, GTK_ALIGN_CENTER)
            gtk_box_append(row.cast(), widget)
        }
        gtk_widget_add_css_class(row, "progress-row")
        gtk_list_box_row_set_child(widget.cast(), row)
        desktop_set_label(widget, name)
        desktop_set_label(bar, tr("Progress of %1", name))
        addOpening()
        show("")
    }

    /// Shows a state: a text, which is red for an error, and a fraction from 0 to 1 in the bar; `nil` for no bar.
    public func show(_ words: String, fraction: Double? = nil, isError: Bool = false) {
        gtk_label_set_text(line.cast(), words)
        desktop_set_description(widget, words)
        (isError ? gtk_widget_add_css_class : gtk_widget_remove_css_class)(line, "error")
        (isError ? gtk_widget_remove_css_class : gtk_widget_add_css_class)(line, "dim-label")
        gtk_widget_set_visible(bar, fraction == nil ? 0 : 1)
        gtk_progress_bar_set_fraction(bar.cast(), fraction ?? 0)
    }

    /// Shows the state of a transfer. `done` is the text for success.
    public func show(_ transfer: TransferSnapshot, done: String) {
        let (isRunning, isError) =
            switch transfer.state {
            case .running: (true, false)
            case .failed: (false, true)
            case .waiting, .awaitingResponse, .paused, .succeeded, .cancelled: (false, false)
            @unknown default: (false, false)
            }
        show(
            transfer.words(done: done), fraction: isRunning ? transfer.fractionCompleted ?? 0 : nil, isError: isError)
    }

    /// Makes a click on the row and the Enter key open a file in the user's app for its type. If `path` is `nil`, they do nothing.
    /// `refused` receives a message if the file cannot be opened.
    public func opens(_ path: String?, refused: @escaping (String) -> Void) {
        open = { [unowned self] in
            guard let path else { return }
            Files.open(path, over: gtk_widget_get_root(widget)?.cast(), refused: refused)
        }
        gtk_list_box_row_set_activatable(widget.cast(), path == nil ? 0 : 1)
    }

    /// Adds the action by which a list activates its rows, after a click or a key press.
    private func addOpening() {
        let (actions, action) = (g_simple_action_group_new(), g_simple_action_new("open", nil))
        if let actions, let action {
            on(action, "activate") { [self] in open() }
            g_action_map_add_action(actions.cast(), action)
            gtk_widget_insert_action_group(widget, "row", actions.cast())
            for object in [actions.address, action.address] { g_object_unref(object) }
        }
        gtk_actionable_set_action_name(widget.cast(), "row.open")
        gtk_list_box_row_set_activatable(widget.cast(), 0)
    }
}
