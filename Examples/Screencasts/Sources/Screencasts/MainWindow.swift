import DesktopKit

/// The window: the episodes of the feed on one page, the downloads on the other.
final class MainWindow {
    private let interface = Interface(PackageResources.window_ui)
    private let library: Library
    private let attempt: (@escaping () async throws -> Void) -> Void
    private var lists: [RowList<EpisodeRow>] = []
    private lazy var toasts = ProgressToast(over: interface["toasts"].cast(), above: interface["pages"].cast())
    private lazy var updates = EachFrame(interface["window"].cast()) { [unowned self] in update() }

    init(
        _ application: Application, _ library: Library, attempt: @escaping (@escaping () async throws -> Void) -> Void
    ) {
        self.library = library
        self.attempt = attempt
        for name in ["episodes", "downloads"] {
            let list = RowList(
                interface[name + "-list"].cast(),
                makeRow: { [unowned self] in
                    EpisodeRow(of: library, whenPressed: perform, canEnd: name == "downloads")
                }, whenActivated: { [unowned self] in perform(library.item($0).action, on: library.item($0)) })
            lists.append(list)
        }
        lists[1].whenDeletePressed { [unowned self] in perform(library.item($0).ending, on: library.item($0)) }
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
            "Screencasts", tr("Downloads episodes, even when it is closed."), of: application,
            over: interface["window"].cast())
    }

    func present() { gtk_window_present(interface["window"].cast()) }

    func show(page: String) { adw_view_stack_set_visible_child_name(interface["pages"].cast(), page) }

    func askForFeed() { gtk_window_present(interface["open-feed"].cast()) }

    /// Schedules an update with the next frame.
    func refresh() { updates.ask() }

    /// Shows a message to the user, with an optional button.
    func say(_ text: String, _ button: Library.Button? = nil) {
        guard let (label, act) = button else { return toasts.say(text) }
        toasts.say(text, button: label) { [attempt] in attempt(act) }
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
        // The number is in the title: a badge would cover the icon.
        adw_view_stack_page_set_title(
            interface["downloads-page"].cast(), running > 0 ? tr("Downloads (%1)", "\(running)") : tr("Downloads"))
    }

    func pauseAll() {
        let losing = library.downloads?.transfers.filter { Action.pause.loss(of: $0.value) != nil } ?? [:]
        var first = losing.first?.value
        first?.bytesDone = losing.values.reduce(0) { $0 + $1.bytesDone }
        let name = losing.count == 1 ? library.item(losing.first!.key).title : tr("%1 downloads", "\(losing.count)")
        Action.pause.confirm(for: first, named: name, over: interface["window"].cast()) { [attempt, library] in
            attempt { try await library.session().pauseAll(matching: .group(Library.group)) }
        }
    }

    private func perform(_ action: Action, on item: Item) {
        if action == .play, let path = item.file { return open(path) }
        action.confirm(for: item.transfer, named: item.title, over: interface["window"].cast()) { [attempt, library] in
            attempt { try await library.perform(action, on: item) }
        }
    }

    /// Opens a video in the user's player.
    func open(_ path: String) {
        Files.open(path, over: interface["window"].cast()) { [unowned self] in say($0) }
    }
}
