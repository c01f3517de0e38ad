import DesktopKit

/// One visible row. There are only as many as fit into the window; they are given another episode when the list scrolls.
final class EpisodeRow: Row {
    let widget: Widget
    private let item: (String) -> Item
    private var id = ""
    private let interface = Interface(PackageResources.row_ui)
    private let title: OpaquePointer
    private let status: OpaquePointer
    private let icon: OpaquePointer
    private let action: Widget
    private let delete: Widget
    private let ring: ProgressRing
    private var shownWords: String?
    private var shownAction: Item.Action?
    private var shownTitle: String?

    init(of library: Library, whenPressed: @escaping (Item) -> Void, whenDeleted: ((Item) -> Void)?) {
        item = library.item
        widget = interface["row"].cast()
        (title, status, icon) = (interface["title"].cast(), interface["status"].cast(), interface["icon"].cast())
        (action, delete) = (interface["action"].cast(), interface["delete"].cast())
        ring = ProgressRing(interface["ring"].cast())
        gtk_widget_set_visible(delete, whenDeleted == nil ? 0 : 1)
        on(action, "clicked") { [unowned self] in whenPressed(item(id)) }
        on(delete, "clicked") { [unowned self] in whenDeleted?(item(id)) }
    }

    /// Shows an episode. GTK lays a text out anew when it is set, so what has not changed is left alone.
    func show(_ id: String) {
        self.id = id
        let item = item(id)
        let words = Wording.status(of: item.episode, item.transfer)
        if words != shownWords {
            gtk_label_set_text(status, words)
            desktop_set_description(action, words)
        }
        ring.show(item.fraction)
        if item.action != shownAction || item.title != shownTitle {
            gtk_label_set_text(title, item.title)
            gtk_image_set_from_icon_name(icon, item.action.icon)
            gtk_button_set_icon_name(
                delete.cast(), item.action.isUnderWay ? "process-stop-symbolic" : "user-trash-symbolic")
            (item.action == .retry ? gtk_widget_add_css_class : gtk_widget_remove_css_class)(action, "failed")
            desktop_set_label(action, item.action.words(for: item.title))
            desktop_set_label(delete, tr("Delete %1", item.title))
        }
        (shownWords, shownAction, shownTitle) = (words, item.action, item.title)
    }
}
