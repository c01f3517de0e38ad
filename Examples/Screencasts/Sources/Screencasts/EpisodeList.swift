import DesktopKit

/// A list of episodes: identifiers in a model of GTK, and rows for those that can be seen.
final class EpisodeList {
    private let view: OpaquePointer
    private let stack: OpaquePointer
    private let model = gtk_string_list_new(nil)
    private var order: [String] = []
    /// By the item of the list that they are in.
    private var rows: [OpaquePointer: EpisodeRow] = [:]
    private let item: (String) -> Item

    init(
        _ interface: Interface, _ name: String, showsDelete: Bool, item: @escaping (String) -> Item,
        whenPressed: @escaping (String) -> Void, whenDeleted: @escaping (String) -> Void
    ) {
        (stack, view) = (interface[name].cast(), interface[name + "-list"].cast())
        self.item = item
        let factory = gtk_signal_list_item_factory_new()!
        on(
            factory, "setup",
            with: { [unowned self] in
                let row = EpisodeRow(showsDelete: showsDelete, whenPressed: whenPressed, whenDeleted: whenDeleted)
                rows[$0.object(1)!] = row
                gtk_list_item_set_child($0.object(1), row.widget)
            })
        on(
            factory, "bind",
            with: { [unowned self] in
                let id = String(
                    cString: gtk_string_object_get_string(OpaquePointer(gtk_list_item_get_item($0.object(1)))))
                rows[$0.object(1)!]?.id = id
                rows[$0.object(1)!]?.show(item(id))
            })
        on(factory, "unbind", with: { [unowned self] in rows[$0.object(1)!]?.id = nil })
        on(factory, "teardown", with: { [unowned self] in rows[$0.object(1)!] = nil })
        let selection = gtk_single_selection_new(model)!
        gtk_single_selection_set_autoselect(selection, 0)
        gtk_single_selection_set_can_unselect(selection, 1)
        gtk_list_view_set_model(view, selection)
        gtk_list_view_set_factory(view, factory.cast())
        // What was out of sight is brought up to date when it comes into sight.
        on(view, "map") { [unowned self] in refresh() }
        on(gtk_scrollable_get_vadjustment(view)!, "value-changed") { [unowned self] in refresh() }
        on(view, "activate", with: { [unowned self] in whenPressed(order[Int($0.uint(1))]) })
        let keys = gtk_event_controller_key_new()!
        on(
            keys, "key-pressed",
            answer: { [unowned self] in
                let position = Int(gtk_single_selection_get_selected(selection))
                guard $0.uint(1) == UInt(GDK_KEY_Delete), showsDelete, order.indices.contains(position) else {
                    return false
                }
                whenDeleted(order[position])
                return true
            })
        gtk_widget_add_controller(view.cast(), keys)
    }

    /// Brings the list up to date: rows that stay are left in their places.
    func show(_ new: [String]) {
        if new != order {
            let difference = new.difference(from: order)
            if difference.count > 100 {
                splice(0, order.count, new)
            } else {
                for change in difference {
                    switch change {
                    case .remove(let offset, _, _): splice(offset, 1, [])
                    case .insert(let offset, let id, _): splice(offset, 0, [id])
                    }
                }
            }
            order = new
            gtk_stack_set_visible_child_name(stack, new.isEmpty ? "empty" : "list")
        }
        refresh()
    }

    /// Brings the rows that can be seen up to date.
    private func refresh() {
        for row in rows.values where row.isVisible(in: view.cast()) { if let id = row.id { row.show(item(id)) } }
    }

    private func splice(_ position: Int, _ removed: Int, _ added: [String]) {
        var texts = added.map { UnsafePointer(g_strdup($0)) } + [nil]
        gtk_string_list_splice(model, guint(position), guint(removed), &texts)
        for text in texts { g_free(UnsafeMutableRawPointer(mutating: text)) }
    }
}
