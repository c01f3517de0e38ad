import DesktopKit

/// One photo of the list: a small picture, how it is, a bar, and what can be done. A click on it opens the photo.
final class PhotoRow {
    private(set) var photo: TransferSnapshot
    var widget: Widget { row.widget }
    private let row: ProgressRow
    private let done: Widget = gtk_image_new_from_icon_name("object-select-symbolic")
    private let again: Widget
    private let remove: Widget

    /// The row keeps what is captured here for as long as it is in a list.
    init(_ photo: TransferSnapshot, uploads: Uploads) {
        self.photo = photo
        again = gtk_button_new_from_icon_name("view-refresh-symbolic")
        remove = gtk_button_new_from_icon_name("window-close-symbolic")
        for button in [again, remove] { gtk_widget_add_css_class(button, "flat") }
        gtk_widget_add_css_class(done, "success")
        desktop_set_label(done, tr("%1 is in the album", photo.name))
        let picture: Widget = gtk_image_new_from_icon_name("image-x-generic-symbolic")
        gtk_image_set_pixel_size(picture.cast(), 56)
        gtk_widget_set_overflow(picture, GTK_OVERFLOW_HIDDEN)
        gtk_widget_add_css_class(picture, "photo")
        desktop_set_label(picture, tr("Picture of %1", photo.name))
        row = ProgressRow(photo.name, picture: picture, after: [done, again, remove])
        row.opens(photo.path, refused: uploads.whenRefused)
        on(again, "clicked") { [self] in uploads.tryAgain([self.photo]) }
        on(remove, "clicked") { [self] in uploads.remove(self.photo) }
        addKeys(uploads)
        if let path = photo.path { Photo.show(path, in: picture) }
        update(photo)
    }

    func update(_ photo: TransferSnapshot) {
        self.photo = photo
        let words = Words(photo)
        row.show(words.line, fraction: words.fraction, isError: words.isError)
        gtk_widget_set_visible(done, photo.state == .succeeded ? 1 : 0)
        gtk_widget_set_visible(again, photo.hasFailed || photo.state == .cancelled ? 1 : 0)
        name(again, photo.mayBeTriedAgain ? tr("Try again: %1", photo.name) : tr("Send again: %1", photo.name))
        name(
            remove,
            photo.state.isEnded
                ? tr("Remove from the list: %1", photo.name) : tr("Cancel the upload of %1", photo.name))
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
