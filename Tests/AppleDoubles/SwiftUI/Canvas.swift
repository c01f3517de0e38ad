// Double only: the views of a window, drawn as a list.
import Observation

/// Where views are drawn. Each view has a place, which is the same in the next drawing: its state belongs to the place.
@MainActor final class Canvas {
    /// What a place keeps from one drawing to the next.
    final class Place {
        var cells: [AnyObject] = []
        var value: Any?
        var task: Task<Void, Never>?
    }

    private(set) var items: [WindowItem] = []
    private let changed: @MainActor @Sendable () -> Void
    private var places: [[String]: Place] = [:]
    private var drawn: Set<[String]> = []
    private var path: [String] = []
    private var row: [String] = []
    private var later: [@MainActor () -> Void] = []

    /// `changed`: called when a view needs another drawing.
    init(changed: @escaping @MainActor @Sendable () -> Void) { self.changed = changed }

    /// Draws everything again. Places without a view end their tasks.
    func redraw<Root: View>(_ root: Root) {
        (items, drawn, later) = ([], [], [])
        withObservationTracking {
            draw(root, at: "root")
        } onChange: { [changed] in
            Task { @MainActor in changed() }
        }
        for (path, place) in places where !drawn.contains(path) {
            place.task?.cancel()
            places[path] = nil
        }
        for action in later { action() }
    }

    func end() {
        for place in places.values { place.task?.cancel() }
        (items, places) = ([], [:])
    }

    func draw<Content: View>(_ view: Content, at step: String, isRow: Bool = false) {
        path.append(step)
        let outer = row
        if isRow { row = path }
        if let view = view as? any Drawn {
            view.draw(self)
        } else {
            connectState(of: view)
            draw(view.body, at: "body")
        }
        path.removeLast()
        row = outer
    }

    /// The present view's place.
    var place: Place {
        drawn.insert(path)
        if let place = places[path] { return place }
        let place = Place()
        places[path] = place
        return place
    }

    func add(_ kind: WindowItem.Kind, _ text: String, _ act: (@MainActor () -> Void)? = nil) {
        items.append(WindowItem(kind: kind, text: text, row: row, act: act))
    }

    /// Runs the action when everything is drawn.
    func afterwards(_ action: @escaping @MainActor () -> Void) { later.append(action) }

    private func connectState(of view: Any) {
        let place = place
        var index = 0
        for child in Mirror(reflecting: view).children {
            guard let state = child.value as? any StoredState else { continue }
            let stored = index < place.cells.count ? place.cells[index] : nil
            let cell = state.connect(to: stored, changed: changed)
            if stored == nil { place.cells.append(cell) }
            index += 1
        }
    }
}

/// A view that the double draws itself.
@MainActor protocol Drawn {
    func draw(_ canvas: Canvas)
}

/// A property of a view that is stored outside of it.
protocol StoredState {
    /// Uses the stored value, or stores its own.
    func connect(to cell: AnyObject?, changed: @escaping @MainActor @Sendable () -> Void) -> AnyObject
}
