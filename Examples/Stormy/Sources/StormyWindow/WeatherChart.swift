import DesktopKit
import StormWatch

/// The temperatures of the last days as a line, with a mark for each storm, in the colours of the person's style.
final class WeatherChart {
    let widget: Widget = gtk_drawing_area_new()
    private var answers: [Weather] = []
    /// Room for the numbers at the left and the days below.
    private static let margin = (left: 44.0, top: 14.0, right: 14.0, bottom: 26.0)

    init() {
        gtk_drawing_area_set_content_height(widget.cast(), 180)
        gtk_drawing_area_set_draw_func(
            widget.cast(),
            { _, cairo, width, height, data in
                let chart = Unmanaged<WeatherChart>.fromOpaque(data!).takeUnretainedValue()
                chart.draw(cairo!, Double(width), Double(height))
            }, Unmanaged.passUnretained(self).toOpaque(), nil)
    }

    func show(_ new: [Weather]) {
        guard new != answers else { return }
        answers = new
        let words = new.map { tr("%1 %2 degrees, %3", Words.day($0.at), "\($0.degrees)", $0.sky) }
        name(widget, tr("Temperatures: %1", words.joined(separator: "; ")))
        gtk_widget_set_tooltip_text(widget, nil)
        gtk_widget_queue_draw(widget)
    }

    private func draw(_ cairo: OpaquePointer, _ width: Double, _ height: Double) {
        let degrees = answers.map(\.degrees)
        guard degrees.count > 1, let low = degrees.min(), let high = degrees.max() else { return }
        let margin = Self.margin
        // Equal answers are not a line at the edge.
        let (bottom, top) = (Double(low) - 2, Double(high) + 2)
        func y(_ degrees: Double) -> Double {
            margin.top + (top - degrees) / (top - bottom) * (height - margin.top - margin.bottom)
        }
        let step = (width - margin.left - margin.right) / Double(answers.count - 1)
        func x(_ index: Int) -> Double { margin.left + step * Double(index) }
        for line in Set([low, high]) {
            setColor(cairo, nil, alpha: 0.15)
            cairo_set_line_width(cairo, 1)
            cairo_move_to(cairo, margin.left, y(Double(line)).rounded() + 0.5)
            cairo_line_to(cairo, width - margin.right, y(Double(line)).rounded() + 0.5)
            cairo_stroke(cairo)
            write(cairo, "\(line)°") { size in (margin.left - 10 - size.width, y(Double(line)) - size.height / 2) }
        }
        setColor(cairo, "accent_color")
        cairo_set_line_width(cairo, 2)
        cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND)
        // Text has left a point behind.
        cairo_new_path(cairo)
        for (index, answer) in answers.enumerated() { cairo_line_to(cairo, x(index), y(Double(answer.degrees))) }
        cairo_stroke(cairo)
        let every = max(1, Int((56 / step).rounded(.up)))
        for (index, answer) in answers.enumerated() {
            setColor(cairo, answer.isStormy ? "warning_color" : "accent_color")
            cairo_arc(cairo, x(index), y(Double(answer.degrees)), answer.isStormy ? 6 : 3.5, 0, 2 * .pi)
            cairo_fill(cairo)
            guard (answers.count - 1 - index) % every == 0 else { continue }
            write(cairo, Words.day(answer.at)) { size in
                (min(max(x(index) - size.width / 2, 0), width - size.width), height - margin.bottom + 6)
            }
        }
    }

    private func setColor(_ cairo: OpaquePointer, _ name: String?, alpha: Double = 1) {
        var color = GdkRGBA()
        let style = gtk_widget_get_style_context(widget)
        gtk_style_context_get_color(style, &color)
        if let name { gtk_style_context_lookup_color(style, name, &color) }
        cairo_set_source_rgba(cairo, Double(color.red), Double(color.green), Double(color.blue), alpha)
    }

    private func write(
        _ cairo: OpaquePointer, _ text: String, at place: ((width: Double, height: Double)) -> (Double, Double)
    ) {
        let layout = gtk_widget_create_pango_layout(widget, text)
        defer { if let layout { g_object_unref(layout.address) } }
        var (width, height): (gint, gint) = (0, 0)
        pango_layout_get_pixel_size(layout, &width, &height)
        let (x, y) = place((Double(width), Double(height)))
        setColor(cairo, nil, alpha: 0.6)
        cairo_move_to(cairo, x, y)
        pango_cairo_show_layout(cairo, layout)
    }
}
