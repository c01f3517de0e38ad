/// Updates a widget at most once per frame, however often its data changes. Nothing runs between frames, and a hidden widget is
/// updated when it becomes visible.
public final class EachFrame {
    private let widget: Widget
    private let update: () -> Void
    private var isDue = false

    /// Creates the updates of a widget. This object must not outlive the widget.
    public init(_ widget: Widget, _ update: @escaping () -> Void) {
        self.widget = widget
        self.update = update
    }

    /// Schedules an update with the next frame.
    public func ask() {
        guard !isDue else { return }
        isDue = true
        gtk_widget_add_tick_callback(
            widget,
            { _, _, data in
                let frames = Unmanaged<EachFrame>.fromOpaque(data!).takeUnretainedValue()
                frames.isDue = false
                frames.update()
                return 0
            }, Unmanaged.passRetained(self).toOpaque(), { Unmanaged<EachFrame>.fromOpaque($0!).release() })
    }
}
