/// A row of a list. When the list scrolls, the row shows another item.
public protocol Row: AnyObject {
    /// The widget of the row.
    var widget: Widget { get }
    /// Shows the present state of the item with this identifier.
    func show(_ id: String)
}

/// A list of any length: identifiers in a model of GTK, and rows for the visible ones. It looks like a boxed list of libadwaita.
public final class RowList<R: Row> {
    private let view: OpaquePointer
    private let model = gtk_string_list_new(nil)
    private let selection: OpaquePointer
    private var order: [String] = []
    /// The rows and the identifiers of their items, by the list's object for the row.
    private var rows: [OpaquePointer: (row: R, id: String?)] = [:]

    /// Fills a `GtkListView`. `whenActivated` is called after Enter or a double click on a row.
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
        // Rows that become visible are updated.
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

    /// Shows a new list. Items that stay keep their rows.
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

    /// Updates the visible rows. GTK has about 200 more rows above and below them.
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
