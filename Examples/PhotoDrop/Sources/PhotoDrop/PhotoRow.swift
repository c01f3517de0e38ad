import DesktopKit

/// A row of the list: a small picture, the state, a progress bar, and buttons. A click on the row opens the photo.
final class PhotoRow {
    private(set) var photo: TransferSnapshot
    var widget: Widget { row.widget }
    private let row: ProgressRow
    private let done: Widget = gtk_image_new_from_icon_name("object-select-symbolic")
    private let retry: Widget = gtk_button_new()
    /// Cancels or removes the upload.
    private let end: Widget = gtk_button_new()
    private let uploads: Uploads

    /// Creates a row. Its widget keeps this object alive as long as it is in a list.
    init(_ photo: TransferSnapshot, uploads: Uploads) {
        self.photo = photo
        self.uploads = uploads
        for button in [retry, end] { gtk_widget_add_css_class(button, "flat") }
        gtk_widget_add_css_class(done, "success")
        desktop_set_label(done, tr("%1 is in the album", photo.name))
        let picture: Widget = gtk_image_new_from_icon_name("image-x-generic-symbolic")
        gtk_image_set_pixel_size(picture.cast(), 56)
        gtk_widget_set_overflow(picture, GTK_OVERFLOW_HIDDEN)
        gtk_widget_add_css_class(picture, "photo")
        desktop_set_label(picture, tr("Picture of %1", photo.name))
        row = ProgressRow(photo.name, picture: picture, after: [done, retry, end])
        row.opens(photo.path, refused: uploads.whenRefused)
        Action.retry.show(on: retry, for: photo.name)
        on(retry, "clicked") { [self] in perform(.retry) }
        on(end, "clicked") { [self] in perform(ending) }
        addKeys()
        if let path = photo.path { Photo.show(path, in: picture) }
        update(photo)
    }

    func update(_ photo: TransferSnapshot) {
        self.photo = photo
        let words = PhotoText(photo)
        row.show(words.line, fraction: words.fraction, isError: words.isError)
        gtk_widget_set_visible(done, photo.state == .succeeded ? 1 : 0)
        gtk_widget_set_visible(retry, photo.hasFailed || photo.state == .cancelled ? 1 : 0)
        ending.show(on: end, for: photo.name)
    }

    private var ending: Action { photo.state.isEnded ? .remove : .cancel }

    private func perform(_ action: Action) {
        guard let window = gtk_widget_get_root(widget) else { return }
        action.confirm(for: photo, named: photo.name, over: window.cast()) { [self] in
            uploads.perform(action, on: photo)
        }
    }

    /// The Delete key cancels or removes the upload of the focused row.
    private func addKeys() {
        let keys = gtk_event_controller_key_new()
        on(
            keys!, "key-pressed",
            answer: { [self] arguments in
                guard arguments.uint(1) == UInt(GDK_KEY_Delete) else { return false }
                perform(ending)
                return true
            })
        gtk_widget_add_controller(widget, keys)
    }
}
