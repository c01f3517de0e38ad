/// A row of a list. It shows one thing, and another one when the list scrolls.
public protocol Row: AnyObject {
    /// What the list shows.
    var widget: Widget { get }
    /// Shows what has that identifier, and how it is now.
    func show(_ id: String)
}

/// A list of any length: identifiers in a model of GTK, and rows for those that can be seen. It looks like a boxed list of
/// libadwaita.
public final class RowList<R: Row> {
    private let view: OpaquePointer
    private let model = gtk_string_list_new(nil)
    private let selection: OpaquePointer
    private var order: [String] = []
    /// The rows there are and what they show, by the list's own item for them.
    private var rows: [OpaquePointer: (row: R, id: String?)] = [:]

    /// Fills a view (`GtkListView`). `whenActivated` is called for a row that Enter or a double click chose.
    public init(_ view: OpaquePointer, makeRow: @escaping () -> R, whenActivated: @escaping (String) -> Void) {
        self.view = view
        gtk_widget_add_css_class(view.cast(), "boxed-rows")
        selection = gtk_single_selection_new(model)
        gtk_single_selection_set_autoselect(selection, 0)
        gtk_single_selection_set_can_unselect(selection, 1)
        let factory = gtk_signal_list_item_factory_new()!
        on(factory, "setup") { [unowned self] arguments in
            guard let item = arguments.object(1) else { return }
            let row = makeRow()
            rows[item] = (row, nil)
            gtk_list_item_set_child(item, row.widget)
        }
        on(factory, "bind") { [unowned self] arguments in
            guard let item = arguments.object(1), let text = gtk_list_item_get_item(item) else { return }
            let id = String(cString: gtk_string_object_get_string(OpaquePointer(text)))
            rows[item]?.id = id
            rows[item]?.row.show(id)
        }
        on(factory, "unbind") { [unowned self] arguments -> Void in
            if let item = arguments.object(1) { rows[item]?.id = nil }
        }
        on(factory, "teardown") { [unowned self] arguments -> Void in
            if let item = arguments.object(1) { rows[item] = nil }
        }
        gtk_list_view_set_model(view, selection)
        gtk_list_view_set_factory(view, factory.cast())
        // What was out of sight is brought up to date when it comes into sight.
        on(view, "map") { [unowned self] in refresh() }
        on(gtk_scrollable_get_vadjustment(view)!, "value-changed") { [unowned self] in refresh() }
        on(view, "activate") { [unowned self] arguments in whenActivated(order[Int(arguments.uint(1))]) }
    }

    /// Calls `body` when Delete is pressed on a row.
    public func whenDeletePressed(_ body: @escaping (String) -> Void) {
        let keys = gtk_event_controller_key_new()!
        on(keys, "key-pressed") { [unowned self] arguments -> Bool in
            let position = Int(gtk_single_selection_get_selected(selection))
            guard arguments.uint(1) == UInt(GDK_KEY_Delete), order.indices.contains(position) else { return false }
            body(order[position])
            return true
        }
        gtk_widget_add_controller(view.cast(), keys)
    }

    /// Brings the list up to date: rows that stay are left in their places.
    public func show(_ new: [String]) {
        for change in new.difference(from: order) {
            switch change {
            case .remove(let offset, _, _): splice(offset, 1, [])
            case .insert(let offset, let id, _): splice(offset, 0, [id])
            }
        }
        order = new
        refresh()
    }

    /// Brings the rows up to date that can be seen. GTK keeps some 200 more above and below.
    private func refresh() {
        for (row, id) in rows.values { if let id, isVisible(row.widget) { row.show(id) } }
    }

    private func isVisible(_ widget: Widget) -> Bool {
        var place = graphene_rect_t()
        guard gtk_widget_get_mapped(widget) != 0, gtk_widget_compute_bounds(widget, view.cast(), &place) != 0 else {
            return false
        }
        return place.origin.y + place.size.height > 0 && place.origin.y < Float(gtk_widget_get_height(view.cast()))
    }

    private func splice(_ position: Int, _ removed: Int, _ added: [String]) {
        var texts = added.map { UnsafePointer(g_strdup($0)) } + [nil]
        gtk_string_list_splice(model, guint(position), guint(removed), &texts)
        for text in texts { g_free(UnsafeMutableRawPointer(mutating: text)) }
    }
}
