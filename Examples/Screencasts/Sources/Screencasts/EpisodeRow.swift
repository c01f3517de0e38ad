import DesktopKit

/// A visible row. The list has only as many rows as fit into the window. When it scrolls, rows show other episodes.
final class EpisodeRow: Row {
    let widget: Widget
    private let item: (String) -> Item
    private var id = ""
    private let interface = Interface(PackageResources.row_ui)
    private let title: OpaquePointer
    private let status: OpaquePointer
    private let icon: OpaquePointer
    private let action: Widget
    private let play: Widget
    private let end: Widget
    private let ring: ProgressRing
    private var shownWords: String?
    private var shownAction: Action?
    private var shownTitle: String?

    init(of library: Library, whenPressed: @escaping (Action, Item) -> Void, canEnd: Bool) {
        item = library.item
        widget = interface["row"].cast()
        (title, status, icon) = (interface["title"].cast(), interface["status"].cast(), interface["icon"].cast())
        (action, end) = (interface["action"].cast(), interface["end"].cast())
        play = interface["play"].cast()
        ring = ProgressRing(interface["ring"].cast())
        gtk_widget_set_visible(end, canEnd ? 1 : 0)
        for button in [action, play] {
            on(button, "clicked") { [unowned self] in whenPressed(item(id).action, item(id)) }
        }
        on(end, "clicked") { [unowned self] in whenPressed(item(id).ending, item(id)) }
    }

    /// Shows an episode. Sets only texts that have changed, because GTK computes a new layout for each text that is set.
    func show(_ id: String) {
        self.id = id
        let item = item(id)
        let words = Wording.status(of: item.episode, item.transfer)
        if words != shownWords {
            gtk_label_set_text(status, words)
            for button in [action, play] { desktop_set_description(button, words) }
        }
        ring.show(item.fraction)
        if item.action != shownAction || item.title != shownTitle {
            gtk_label_set_text(title, item.title)
            (item.action == .retry ? gtk_widget_add_css_class : gtk_widget_remove_css_class)(action, "failed")
            gtk_widget_set_visible(play, item.action == .play ? 1 : 0)
            gtk_widget_set_visible(action, item.action == .play ? 0 : 1)
            if item.action == .play {
                Action.play.show(on: play, for: item.title)
            } else {
                gtk_image_set_from_icon_name(icon, item.action.icon)
                item.action.name(action, for: item.title)
            }
            item.ending.show(on: end, for: item.title)
            // A tooltip would cover the row below.
            for button in [action, end] { gtk_widget_set_tooltip_text(button, nil) }
        }
        (shownWords, shownAction, shownTitle) = (words, item.action, item.title)
    }
}
