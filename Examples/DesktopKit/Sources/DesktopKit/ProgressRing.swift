/// A ring that fills around the icon of a button, in the colours of the desktop's style.
public final class ProgressRing {
    private let area: Widget
    private var fraction: Double?

    /// Creates a ring that draws in a `GtkDrawingArea`. The area must not outlive the ring.
    public init(_ area: Widget) {
        self.area = area
        gtk_drawing_area_set_draw_func(
            area.cast(),
            { _, cairo, width, height, data in
                let ring = Unmanaged<ProgressRing>.fromOpaque(data!).takeUnretainedValue()
                ring.draw(cairo!, Double(width), Double(height))
            }, Unmanaged.passUnretained(self).toOpaque(), nil)
    }

    /// Shows a fraction, from 0 to 1; `nil` for no ring.
    public func show(_ new: Double?) {
        guard new != fraction else { return }
        fraction = new
        gtk_widget_queue_draw(area)
    }

    private func draw(_ cairo: OpaquePointer, _ width: Double, _ height: Double) {
        guard let fraction else { return }
        var color = GdkRGBA()
        let style = gtk_widget_get_style_context(area)
        gtk_style_context_get_color(style, &color)
        cairo_set_line_width(cairo, 3)
        cairo_set_source_rgba(cairo, Double(color.red), Double(color.green), Double(color.blue), 0.15)
        cairo_arc(cairo, width / 2, height / 2, min(width, height) / 2 - 2, 0, 2 * .pi)
        cairo_stroke(cairo)
        gtk_style_context_lookup_color(style, "accent_color", &color)
        gdk_cairo_set_source_rgba(cairo, &color)
        cairo_arc(cairo, width / 2, height / 2, min(width, height) / 2 - 2, -.pi / 2, (2 * fraction - 0.5) * .pi)
        cairo_stroke(cairo)
    }
}
