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
    private var shownWords: String?
    private var shownAction: Item.Action?
    private var shownTitle: String?

    init(showsDelete: Bool, whenPressed: @escaping (String) -> Void, whenDeleted: @escaping (String) -> Void) {
        widget = interface["row"].cast()
        (title, status, icon) = (interface["title"].cast(), interface["status"].cast(), interface["icon"].cast())
        (action, delete) = (interface["action"].cast(), interface["delete"].cast())
        ring = ProgressRing(interface["ring"].cast())
        gtk_widget_set_visible(delete, showsDelete ? 1 : 0)
        on(action, "clicked") { [unowned self] in id.map(whenPressed) }
        on(delete, "clicked") { [unowned self] in id.map(whenDeleted) }
    }

    /// Shows an episode. GTK lays out a text and asks the screen about a tooltip anew when they are set, so what has not
    /// changed is left alone.
    func show(_ item: Item) {
        let words = Wording.status(of: item.episode, item.transfer)
        if words != shownWords {
            gtk_label_set_text(status, words)
            desktop_set_description(action, words)
        }
        ring.show(item.fraction)
        if item.action != shownAction || item.title != shownTitle {
            let verb = item.action.rawValue
            gtk_label_set_text(title, item.title)
            gtk_image_set_from_icon_name(icon, item.action.icon)
            (item.action == .retry ? gtk_widget_add_css_class : gtk_widget_remove_css_class)(action, "failed")
            gtk_widget_set_tooltip_text(action, verb)
            desktop_set_label(action, "\(verb) \(item.title)")
            desktop_set_label(delete, "Delete \(item.title)")
        }
        (shownWords, shownAction, shownTitle) = (words, item.action, item.title)
    }

    /// Whether the person can see it: GTK keeps some 200 rows around those that fit into the window.
    func isVisible(in view: Widget) -> Bool {
        var place = graphene_rect_t()
        guard gtk_widget_get_mapped(widget) != 0, gtk_widget_compute_bounds(widget, view, &place) != 0 else {
            return false
        }
        return place.origin.y + place.size.height > 0 && place.origin.y < Float(gtk_widget_get_height(view))
    }
}
