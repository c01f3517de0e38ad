import DesktopKit

/// The window: an area to drop photos on, the list of photos, and the toast.
final class PhotoWindow {
    let widget: Widget
    let toast: UploadToast
    private let uploads: Uploads
    private let pages: Widget = gtk_stack_new()
    private let trouble: Widget
    private let list = boxedList(tr("Photos"))
    private var rows: [TransferID: PhotoRow] = [:]
    private lazy var frame = EachFrame(widget) { [unowned self] in update() }

    init(_ application: Application, _ uploads: Uploads) {
        self.uploads = uploads
        widget = adw_application_window_new(application.raw.cast())
        trouble = statusPage(
            icon: "dialog-warning-symbolic", title: tr("Photos Cannot Be Sent Now"), button: Action.retry.word,
            then: uploads.start)
        let empty = statusPage(
            icon: "image-x-generic-symbolic", title: tr("Drop Photos Here"),
            description: tr("They are sent to your album, even when this window is closed."),
            button: tr("Choose Photos…"),
            style: "suggested-action"
        ) { g_action_group_activate_action(application.raw.cast(), "add", nil) }
        let overlay: Widget = adw_toast_overlay_new()
        let photos = scrolledPage(list)
        toast = UploadToast(over: overlay, above: photos)
        gtk_window_set_title(widget.cast(), "Photo Drop")
        gtk_window_set_icon_name(widget.cast(), application.id)
        setShortcuts(
            of: widget, (tr("Add photos"), "app.add"), (Action.retry.word, "app.try-again"),
            (tr("Remove Finished"), "app.clear"), (tr("Album"), "app.album"), (tr("Quit"), "app.quit"))
        gtk_window_set_default_size(widget.cast(), 480, 600)
        gtk_widget_set_size_request(widget, 360, 360)
        gtk_stack_set_transition_type(pages.cast(), GTK_STACK_TRANSITION_TYPE_CROSSFADE)
        gtk_stack_add_named(pages.cast(), gtk_box_new(GTK_ORIENTATION_VERTICAL, 0), "opening")
        gtk_stack_add_named(pages.cast(), empty, "empty")
        gtk_stack_add_named(pages.cast(), photos, "photos")
        gtk_stack_add_named(pages.cast(), trouble, "trouble")
        gtk_widget_set_vexpand(pages, 1)
        adw_toast_overlay_set_child(overlay.cast(), pages)
        gtk_widget_set_vexpand(overlay, 1)
        adw_application_window_set_content(
            widget.cast(), box(GTK_ORIENTATION_VERTICAL, headerBar(), overlay))
        Files.acceptDrops(on: overlay) { application.whenOpened($0) }
        update()
    }

    /// Schedules an update with the next frame.
    func ask() {
        frame.ask()
    }

    /// Brings a photo into sight.
    func show(_ id: TransferID?) {
        gtk_window_present(widget.cast())
        if let row = id.flatMap({ rows[$0] }) { gtk_widget_grab_focus(row.widget) }
    }

    private func update() {
        let photos = uploads.photos
        for (id, row) in rows where !photos.contains(where: { $0.id == id }) {
            gtk_list_box_remove(list.cast(), row.widget)
            rows[id] = nil
        }
        for photo in photos {
            if let row = rows[photo.id] {
                if row.photo != photo { row.update(photo) }
            } else {
                let row = PhotoRow(photo, uploads: uploads)
                rows[photo.id] = row
                gtk_list_box_prepend(list.cast(), row.widget)
            }
        }
        toast.update(photos)
        if let failure = uploads.failure {
            adw_status_page_set_description(trouble.cast(), failure.message)
            gtk_stack_set_visible_child_name(pages.cast(), "trouble")
        } else {
            let page = photos.isEmpty ? (uploads.isOpen ? "empty" : "opening") : "photos"
            gtk_stack_set_visible_child_name(pages.cast(), page)
        }
        Trace.note(photos)
    }

    private func headerBar() -> Widget {
        let bar: Widget = adw_header_bar_new()
        let add: Widget = gtk_button_new_from_icon_name("list-add-symbolic")
        name(add, tr("Add photos"))
        gtk_actionable_set_action_name(add.cast(), "app.add")
        adw_header_bar_pack_start(bar.cast(), add)
        // Beside the other button, so that a narrow window has room for its title in the middle.
        adw_header_bar_pack_start(
            bar.cast(),
            menuButton(
                (tr("_Remove Finished"), "app.clear"), (tr("A_lbum…"), "app.album"), about: tr("_About Photo Drop"))
        )
        return bar
    }
}
