import DesktopKit

/// The window: the episodes of the feed on one page, the downloads on the other.
final class MainWindow {
    private let interface = Interface(PackageResources.window_ui)
    private let library: Library
    private let attempt: (@escaping () async throws -> Void) -> Void
    private var lists: [RowList<EpisodeRow>] = []
    private lazy var updates = EachFrame(interface["window"].cast()) { [unowned self] in update() }

    init(
        _ application: Application, _ library: Library, attempt: @escaping (@escaping () async throws -> Void) -> Void
    ) {
        self.library = library
        self.attempt = attempt
        let delete = { (item: Item) in attempt { try await library.delete(item) } }
        for name in ["episodes", "downloads"] {
            let list = RowList(
                interface[name + "-list"].cast(),
                makeRow: { [unowned self] in
                    EpisodeRow(of: library, whenPressed: press, whenDeleted: name == "downloads" ? delete : nil)
                }, whenActivated: { [unowned self] in press(library.item($0)) })
            lists.append(list)
        }
        lists[1].whenDeletePressed { delete(library.item($0)) }
        on(interface["metered"], "state-set") { arguments -> Bool in
            let uses = arguments.bool(1)
            if uses != library.usesMeteredNetwork { attempt { try await library.setMetered(uses) } }
            return false
        }
        on(interface["open-feed"], "response") { [unowned self] arguments -> Void in
            let address = String(cString: gtk_editable_get_text(interface["address"].cast()))
            if arguments.string(1) == "open", !address.isEmpty { attempt { try await library.load(address) } }
        }
        gtk_application_window_set_help_overlay(interface["window"].cast(), interface["help"].cast())
        gtk_application_add_window(application.raw.cast(), interface["window"].cast())
        update()
    }

    func showAbout(of application: Application) {
        DesktopKit.showAbout(
            "Screencasts", tr("Downloads episodes, also when it is closed."), of: application,
            over: interface["window"].cast())
    }

    func present() { gtk_window_present(interface["window"].cast()) }

    func show(page: String) { adw_view_stack_set_visible_child_name(interface["pages"].cast(), page) }

    func askForFeed() { gtk_window_present(interface["open-feed"].cast()) }

    /// Something has changed; the next frame shows it.
    func refresh() { updates.ask() }

    /// Tells the person something, and offers to do something about it.
    func say(_ text: String, _ button: Library.Button? = nil) {
        // A toast takes markup.
        let escaped = g_markup_escape_text(text, -1)
        defer { g_free(escaped) }
        let toast = adw_toast_new(escaped)!
        if let (label, act) = button {
            adw_toast_set_button_label(toast, label)
            on(toast, "button-clicked") { [attempt] in attempt(act) }
        }
        adw_toast_overlay_add_toast(interface["toasts"].cast(), toast)
    }

    private func update() {
        let downloads = library.downloads
        for (name, order, list) in [
            ("episodes", library.episodeOrder, lists[0]), ("downloads", downloads?.order ?? [], lists[1]),
        ] {
            list.show(order)
            gtk_stack_set_visible_child_name(interface[name].cast(), order.isEmpty ? "empty" : "list")
        }
        gtk_switch_set_active(interface["metered"].cast(), library.usesMeteredNetwork ? 1 : 0)
        let summary = downloads.map { Wording.summary($0.progress) } ?? ""
        gtk_label_set_text(interface["summary"].cast(), summary)
        gtk_widget_set_visible(interface["summary"].cast(), summary.isEmpty ? 0 : 1)
        let running = downloads?.progress.running ?? 0
        adw_view_stack_page_set_badge_number(interface["downloads-page"].cast(), guint(min(running, 99)))
    }

    private func press(_ item: Item) {
        guard item.action == .play, let path = item.file else {
            attempt { [library] in try await library.perform(item.action, on: item) }
            return
        }
        open(path)
    }

    /// Opens a video in the person's player.
    func open(_ path: String) {
        Files.open(path, over: interface["window"].cast()) { [unowned self] in say($0) }
    }
}
