// Double only: the window of an app, and its user's taps.

/// A text, a button, or another element of a window.
@MainActor public struct WindowItem {
    /// The sort of element, and the value of a progress bar.
    public enum Kind: Equatable { case text, button, progress(Double?) }

    /// The sort of element.
    public let kind: Kind
    /// The text of the element or of its label.
    public let text: String
    let row: [String]
    let act: (@MainActor () -> Void)?
}

/// The window of a running app.
@MainActor public final class Window {
    private var canvas: Canvas?
    private var draw: () -> Void = {}
    private var isScheduled = false

    /// Shows the scene's first window.
    public init?(of scene: some Scene) {
        guard let group = Self.group(of: scene) else { return nil }
        let canvas = Canvas { [weak self] in self?.schedule() }
        self.canvas = canvas
        draw = { group.show(on: canvas) }
        draw()
    }

    /// The elements, in order.
    public var items: [WindowItem] { canvas?.items ?? [] }

    /// The user taps a button. `text`: a text of the same row of a list. Returns `false` if there is no such button.
    public func tap(_ title: String, beside text: String? = nil) -> Bool {
        let rows = items.filter { $0.text == text }.map(\.row)
        let button = items.first { item in
            item.act != nil && item.text == title && (text == nil || rows.contains(item.row))
        }
        button?.act?()
        return button != nil
    }

    /// The process ends.
    public func close() {
        canvas?.end()
        canvas = nil
        draw = {}
    }

    private func schedule() {
        guard !isScheduled else { return }
        isScheduled = true
        Task {
            isScheduled = false
            draw()
        }
    }

    private static func group(of scene: some Scene) -> (any WindowScene)? {
        if let group = scene as? any WindowScene { return group }
        if let modified = scene as? any ModifiedScene { return modified.group }
        return nil
    }
}

@MainActor protocol WindowScene {
    func show(on canvas: Canvas)
}

@MainActor protocol ModifiedScene {
    var group: (any WindowScene)? { get }
}
