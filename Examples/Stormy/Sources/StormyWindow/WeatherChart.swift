import DesktopKit
import StormWatch

/// The temperatures of the last days as a line, with a mark for each storm, in the colours of the desktop's style.
final class WeatherChart {
    let widget: Widget = gtk_drawing_area_new()
    private var answers: [Weather] = []
    /// The space above the line, and the space for the days below it.
    private static let margin = (top: 14.0, bottom: 26.0)
    /// The minimum space between the names of days.
    private static let gap = 14.0

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
        let words = new.map { tr("%1 %2, %3", WeatherText.day($0.at), $0.temperature, $0.sky) }
        name(widget, tr("Temperatures: %1", words.joined(separator: "; ")))
        gtk_widget_set_tooltip_text(widget, nil)
        gtk_widget_queue_draw(widget)
    }

    private func draw(_ cairo: OpaquePointer, _ width: Double, _ height: Double) {
        let degrees = answers.map(\.degrees)
        guard degrees.count > 1, let low = degrees.min(), let high = degrees.max() else { return }
        let margin = Self.margin
        // Two degrees of space, so that equal temperatures are not a line at the edge.
        let (bottom, top) = (Double(low) - 2, Double(high) + 2)
        func y(_ degrees: Double) -> Double {
            margin.top + (top - degrees) / (top - bottom) * (height - margin.top - margin.bottom)
        }
        let widest = answers.map { textWidth(WeatherText.day($0.at)) }.max() ?? 0
        // The names of the first and the last day are centered below their points, so half of each extends past the line.
        let right = widest / 2
        let left = max(right, ([low, high].map { textWidth(Weather.temperature($0)) }.max() ?? 0) + 12)
        let step = (width - left - right) / Double(answers.count - 1)
        func x(_ index: Int) -> Double { left + step * Double(index) }
        for line in Set([low, high]) {
            setColor(cairo, nil, alpha: 0.15)
            cairo_set_line_width(cairo, 1)
            cairo_move_to(cairo, left, y(Double(line)).rounded() + 0.5)
            cairo_line_to(cairo, width - right, y(Double(line)).rounded() + 0.5)
            cairo_stroke(cairo)
            write(cairo, Weather.temperature(line)) { size in
                (left - 10 - size.width, y(Double(line)) - size.height / 2)
            }
        }
        setColor(cairo, "accent_color")
        cairo_set_line_width(cairo, 2)
        cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND)
        // Drawing text sets a current point, from which the line would start.
        cairo_new_path(cairo)
        for (index, answer) in answers.enumerated() { cairo_line_to(cairo, x(index), y(Double(answer.degrees))) }
        cairo_stroke(cairo)
        let every = max(1, Int(((widest + Self.gap) / step).rounded(.up)))
        for (index, answer) in answers.enumerated() {
            setColor(cairo, answer.isStormy ? "warning_color" : "accent_color")
            cairo_arc(cairo, x(index), y(Double(answer.degrees)), answer.isStormy ? 6 : 3.5, 0, 2 * .pi)
            cairo_fill(cairo)
            guard (answers.count - 1 - index) % every == 0 else { continue }
            write(cairo, WeatherText.day(answer.at)) { size in
                (x(index) - size.width / 2, height - margin.bottom + 6)
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
        let layout = self.layout(text)
        defer { g_object_unref(layout.address) }
        let (x, y) = place(size(of: layout))
        setColor(cairo, nil, alpha: 0.6)
        cairo_move_to(cairo, x, y)
        pango_cairo_show_layout(cairo, layout)
    }

    private func textWidth(_ text: String) -> Double {
        let layout = self.layout(text)
        defer { g_object_unref(layout.address) }
        return size(of: layout).width
    }

    private func layout(_ text: String) -> OpaquePointer { gtk_widget_create_pango_layout(widget, text)! }

    private func size(of layout: OpaquePointer) -> (width: Double, height: Double) {
        var (width, height): (gint, gint) = (0, 0)
        pango_layout_get_pixel_size(layout, &width, &height)
        return (Double(width), Double(height))
    }
}
