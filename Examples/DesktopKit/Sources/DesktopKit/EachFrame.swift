/// Brings news to a widget once a frame at the most, however often there are any. Between frames nothing runs, and
/// a widget that cannot be seen is brought up to date when it can be.
public final class EachFrame {
    private let widget: Widget
    private let update: () -> Void
    private var isDue = false

    /// Updates of a widget. Whoever keeps this lives no longer than the widget.
    public init(_ widget: Widget, _ update: @escaping () -> Void) {
        self.widget = widget
        self.update = update
    }

    /// There is news.
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
