import DesktopKit

/// One visible row. There are only as many as fit into the window; they are given another episode when the list scrolls.
final class EpisodeRow {
    let widget: Widget
    /// Which episode it shows; `nil` while it shows none.
    var id: String?
    private let interface = Interface(PackageResources.row_ui)
    private let title: OpaquePointer
    private let status: OpaquePointer
    private let icon: OpaquePointer
    private let action: Widget
    private let delete: Widget
    private let ring: ProgressRing

    init(showsDelete: Bool, whenPressed: @escaping (String) -> Void, whenDeleted: @escaping (String) -> Void) {
        widget = interface["row"].cast()
        (title, status, icon) = (interface["title"].cast(), interface["status"].cast(), interface["icon"].cast())
        (action, delete) = (interface["action"].cast(), interface["delete"].cast())
        ring = ProgressRing(interface["ring"].cast())
        gtk_widget_set_visible(delete, showsDelete ? 1 : 0)
        on(action, "clicked") { [unowned self] in id.map(whenPressed) }
        on(delete, "clicked") { [unowned self] in id.map(whenDeleted) }
    }

    func show(_ item: Item) {
        let words = Wording.status(of: item.episode, item.transfer)
        gtk_label_set_text(title, item.title)
        gtk_label_set_text(status, words)
        gtk_image_set_from_icon_name(icon, item.action.icon)
        ring.show(item.fraction)
        (item.action == .retry ? gtk_widget_add_css_class : gtk_widget_remove_css_class)(action, "failed")
        gtk_widget_set_tooltip_text(action, item.action.rawValue)
        desktop_set_label(action, "\(item.action.rawValue) \(item.title)")
        desktop_set_description(action, words)
        desktop_set_label(delete, "Delete \(item.title)")
    }
}
