import DesktopKit
import StormWatch

/// The window: the last report, the next check, the photos, and the last days.
final class StormyWindow {
    /// The number of reports in the chart.
    private static let days = 14

    let widget: Widget
    private let storms: Storms
    private let overlay: Widget = adw_toast_overlay_new()
    private let pages: Widget = gtk_stack_new()
    private lazy var toasts = ProgressToast(over: overlay, above: pages)
    private let icon: Widget = gtk_image_new()
    private let sky: Widget = label("", "title-1")
    private let date: Widget = label("", "dim-label")
    private let check: Widget = gtk_button_new_with_label(tr("Check Now"))
    private let next = StormyWindow.row(tr("Next Check"), icon: "alarm-symbolic")
    private let list = boxedList(tr("Checks and photos"))
    private let history: Widget
    private let chart = WeatherChart()
    /// The legend of the larger dots.
    private let legend = box(
        GTK_ORIENTATION_HORIZONTAL, spacing: 6, gtk_image_new_from_icon_name("media-record-symbolic"),
        label(tr("Storm"), "caption"))
    private var photos: [TransferID: PhotoRow] = [:]
    private lazy var frame = EachFrame(widget) { [unowned self] in update() }

    init(_ application: Application, _ storms: Storms) {
        self.storms = storms
        widget = adw_application_window_new(application.raw.cast())
        let title = label(tr("Recent Days"), "heading")
        gtk_widget_set_hexpand(title, 1)
        gtk_widget_add_css_class(legend, "legend")
        history = box(
            GTK_ORIENTATION_VERTICAL, spacing: 12, box(GTK_ORIENTATION_HORIZONTAL, title, legend), chart.widget)
        gtk_window_set_title(widget.cast(), "Stormy")
        gtk_window_set_icon_name(widget.cast(), application.id)
        setShortcuts(
            of: widget, (tr("Check Now"), "app.check"), (tr("Send Photos…"), "app.photo"),
            (tr("Addresses"), "app.addresses"), (tr("Quit"), "app.quit"))
        gtk_window_set_default_size(widget.cast(), 460, 770)
        gtk_widget_set_size_request(widget, 360, 360)
        let empty = statusPage(
            icon: "weather-storm-symbolic", title: tr("Wait for a Storm"),
            description: tr("The weather is checked every day at noon, even when this window is closed."),
            button: tr("Set Addresses…"),
            style: "suggested-action"
        ) { [unowned self] in gtk_widget_activate_action_variant(widget, "app.addresses", nil) }
        gtk_stack_add_named(pages.cast(), empty, "empty")
        gtk_stack_add_named(pages.cast(), weatherPage(), "weather")
        adw_toast_overlay_set_child(overlay.cast(), pages)
        gtk_widget_set_vexpand(overlay, 1)
        adw_application_window_set_content(widget.cast(), box(GTK_ORIENTATION_VERTICAL, headerBar(), overlay))
        update()
    }

    /// Schedules an update with the next frame.
    func ask() {
        frame.ask()
    }

    func say(_ words: String) {
        toasts.say(words)
    }

    private func update() {
        gtk_stack_set_visible_child_name(pages.cast(), Settings.places == nil ? "empty" : "weather")
        let last = storms.answers.last
        gtk_image_set_from_icon_name(icon.cast(), WeatherText.icon(last))
        gtk_label_set_text(sky.cast(), last.map { "\($0.sky), \($0.temperature)" } ?? tr("No Answer Yet"))
        gtk_label_set_text(
            date.cast(), last.map { WeatherText.date($0.at) } ?? tr("The weather is checked every day at noon."))
        gtk_button_set_label(check.cast(), storms.isChecking ? tr("Checking…") : tr("Check Now"))
        gtk_widget_set_sensitive(check, storms.isChecking ? 0 : 1)
        adw_action_row_set_subtitle(next.cast(), storms.nextCheck.map { WeatherText.date(Int($0.seconds)) } ?? "…")
        let days = storms.answers.suffix(Self.days)
        // A line needs two points. The page above shows a single report as text.
        gtk_widget_set_visible(history, days.count > 1 ? 1 : 0)
        gtk_widget_set_visible(legend, days.contains(where: \.isStormy) ? 1 : 0)
        chart.show(Array(days))
        for (id, row) in photos where !storms.photos.contains(where: { $0.id == id }) {
            gtk_list_box_remove(list.cast(), row.widget)
            photos[id] = nil
        }
        for photo in storms.photos {
            if photos[photo.id] == nil {
                let row = PhotoRow(photo, storms)
                photos[photo.id] = row
                gtk_list_box_append(list.cast(), row.widget)
            }
            photos[photo.id]?.update(photo)
        }
    }

    private func weatherPage() -> Widget {
        gtk_image_set_pixel_size(icon.cast(), 96)
        for line in [sky, date] {
            gtk_label_set_xalign(line.cast(), 0.5)
            gtk_label_set_ellipsize(line.cast(), PANGO_ELLIPSIZE_NONE)
            gtk_label_set_wrap(line.cast(), 1)
            gtk_label_set_justify(line.cast(), GTK_JUSTIFY_CENTER)
        }
        for name in ["pill", "suggested-action"] { gtk_widget_add_css_class(check, name) }
        gtk_widget_set_halign(check, GTK_ALIGN_CENTER)
        gtk_widget_set_margin_top(check, 12)
        gtk_actionable_set_action_name(check.cast(), "app.check")
        let send = Self.row(tr("Send Photos…"), icon: "camera-photo-symbolic")
        adw_action_row_add_suffix(send.cast(), gtk_image_new_from_icon_name("go-next-symbolic"))
        gtk_list_box_row_set_activatable(send.cast(), 1)
        gtk_actionable_set_action_name(send.cast(), "app.photo")
        for row in [next, send] { gtk_list_box_append(list.cast(), row) }
        let hero = box(GTK_ORIENTATION_VERTICAL, spacing: 6, icon, sky, date, check)
        let all = box(GTK_ORIENTATION_VERTICAL, spacing: 30, hero, list, history)
        return scrolledPage(all)
    }

    private func headerBar() -> Widget {
        let bar: Widget = adw_header_bar_new()
        adw_header_bar_pack_start(
            bar.cast(),
            menuButton(
                (tr("A_ddresses…"), "app.addresses"), about: tr("_About Stormy")))
        return bar
    }

    static func row(_ title: String, icon: String) -> Widget {
        let row: Widget = adw_action_row_new()
        adw_preferences_row_set_use_markup(row.cast(), 0)
        adw_preferences_row_set_title(row.cast(), title)
        adw_action_row_add_prefix(row.cast(), gtk_image_new_from_icon_name(icon))
        return row
    }
}

/// The row of a photo's upload. A click on the row opens the photo.
final class PhotoRow {
    var widget: Widget { row.widget }
    private let row: ProgressRow
    private let retry: Widget = gtk_button_new()
    private var photo: TransferSnapshot

    init(_ photo: TransferSnapshot, _ storms: Storms) {
        self.photo = photo
        gtk_widget_add_css_class(retry, "flat")
        Action.retry.show(on: retry, for: photo.name)
        row = ProgressRow(
            photo.name, picture: gtk_image_new_from_icon_name("image-x-generic-symbolic"), after: [retry])
        row.opens(photo.path, refused: storms.whenTold)
        on(retry, "clicked") { [unowned self] in
            let photo = self.photo
            Task { await storms.tryAgain(photo) }
        }
    }

    func update(_ new: TransferSnapshot) {
        photo = new
        row.show(new, done: tr("In the album"))
        let isFailed = if case .failed = new.state { true } else { false }
        gtk_widget_set_visible(retry, isFailed ? 1 : 0)
    }
}
