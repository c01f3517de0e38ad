import DesktopKit

/// One photo of the list: a small picture, how it is, a bar, and what can be done.
final class PhotoRow {
    let widget: Widget = gtk_list_box_row_new()
    private(set) var photo: TransferSnapshot
    private let line = label("", "caption", cut: PANGO_ELLIPSIZE_NONE)
    private let bar: Widget = gtk_progress_bar_new()
    private let done: Widget = gtk_image_new_from_icon_name("object-select-symbolic")
    private let again: Widget
    private let remove: Widget

    /// The row keeps what is captured here for as long as it is in a list.
    init(_ photo: TransferSnapshot, uploads: Uploads) {
        self.photo = photo
        again = gtk_button_new_from_icon_name("view-refresh-symbolic")
        remove = gtk_button_new_from_icon_name("window-close-symbolic")
        let picture: Widget = gtk_image_new_from_icon_name("image-x-generic-symbolic")
        gtk_image_set_pixel_size(picture.cast(), 56)
        gtk_widget_set_valign(picture, GTK_ALIGN_CENTER)
        gtk_widget_set_overflow(picture, GTK_OVERFLOW_HIDDEN)
        gtk_widget_add_css_class(picture, "photo")
        desktop_set_label(picture, "Picture of \(photo.name)")
        gtk_label_set_wrap(line.cast(), 1)
        gtk_label_set_wrap_mode(line.cast(), PANGO_WRAP_WORD_CHAR)
        let words = box(GTK_ORIENTATION_VERTICAL, spacing: 4, label(photo.name, cut: PANGO_ELLIPSIZE_MIDDLE), line, bar)
        gtk_widget_set_hexpand(words, 1)
        gtk_widget_set_valign(words, GTK_ALIGN_CENTER)
        for button in [again, remove] {
            gtk_widget_add_css_class(button, "flat")
            gtk_widget_set_valign(button, GTK_ALIGN_CENTER)
        }
        gtk_widget_add_css_class(done, "success")
        desktop_set_label(done, "\(photo.name) is in the album")
        let row = box(GTK_ORIENTATION_HORIZONTAL, spacing: 12, picture, words, done, again, remove)
        gtk_widget_add_css_class(row, "photo-row")
        gtk_list_box_row_set_child(widget.cast(), row)
        gtk_list_box_row_set_activatable(widget.cast(), 0)
        desktop_set_label(widget, photo.name)
        desktop_set_label(bar, "Progress of \(photo.name)")
        on(again, "clicked") { [self] in uploads.tryAgain([self.photo]) }
        on(remove, "clicked") { [self] in uploads.remove(self.photo) }
        addKeys(uploads)
        if let path = photo.path { Photo.show(path, in: picture) }
        update(photo)
    }

    func update(_ photo: TransferSnapshot) {
        self.photo = photo
        let words = Words(photo)
        gtk_label_set_text(line.cast(), words.line)
        desktop_set_description(widget, words.line)
        words.isError ? gtk_widget_add_css_class(line, "error") : gtk_widget_remove_css_class(line, "error")
        words.isError ? gtk_widget_remove_css_class(line, "dim-label") : gtk_widget_add_css_class(line, "dim-label")
        gtk_widget_set_visible(bar, words.fraction == nil ? 0 : 1)
        gtk_progress_bar_set_fraction(bar.cast(), words.fraction ?? 0)
        gtk_widget_set_visible(done, photo.state == .succeeded ? 1 : 0)
        gtk_widget_set_visible(again, photo.hasFailed || photo.state == .cancelled ? 1 : 0)
        name(again, (photo.mayBeTriedAgain ? "Try again: " : "Send again: ") + photo.name)
        name(remove, (photo.state.isEnded ? "Remove from the list: " : "Cancel the upload of ") + photo.name)
    }

    /// The row with the focus is cancelled or removed by Delete.
    private func addKeys(_ uploads: Uploads) {
        let keys = gtk_event_controller_key_new()
        on(
            keys!, "key-pressed",
            answer: { [self] arguments in
                guard arguments.uint(1) == UInt(GDK_KEY_Delete) else { return false }
                uploads.remove(photo)
                return true
            })
        gtk_widget_add_controller(widget, keys)
    }
}
