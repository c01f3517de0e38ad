import DesktopKit
import Glibc

/// The app: one window, and the library whose episodes it shows.
final class Screencasts {
    private let application: Application
    private let library: Library
    private var window: MainWindow?

    init(_ application: Application) {
        self.application = application
        library = Library(appID: application.id)
        application.whenStarted = { [unowned self] in start() }
        application.whenActivated = { [unowned self] in show() }
        application.whenWoken { [unowned self] _ in show() }
        application.whenOpened = { [unowned self] paths in
            show()
            attempt { [library] in try await library.load(paths[0]) }
        }
    }

    private func start() {
        Style.add(String(decoding: PackageResources.style_css, as: UTF8.self))
        application.addAction("about") { [unowned self] in window?.showAbout(of: application) }
        application.addAction("quit", keys: ["<Control>q"]) { [unowned self] in application.quit() }
        application.addAction("open-feed", keys: ["<Control>o"]) { [unowned self] in window?.askForFeed() }
        application.addAction("episodes", keys: ["<Alt>1"]) { [unowned self] in window?.show(page: "episodes") }
        application.addAction("downloads", keys: ["<Alt>2"]) { [unowned self] in window?.show(page: "downloads") }
        add("refresh", "F5") { library in
            try await library.check()
            if let address = library.feed?.url { try await library.load(address) }
        }
        add("download-all", "<Control>d") { try await $0.download($0.episodeOrder) }
        application.addAction("pause-all", keys: ["<Control><Shift>p"]) { [unowned self] in window?.pauseAll() }
        add("resume-all", "<Control><Shift>r") { try await $0.session().resumeAll(matching: .group(Library.group)) }
        library.whenSaying = { [unowned self] in window?.say($0, $1) }
        library.whenFinishedTapped = { [unowned self] path in
            show()
            window?.show(page: "downloads")
            if let path { window?.open(path) }
        }
        library.whenChanged = { [unowned self] in window?.refresh() }
        run()
    }

    /// Opens the library. If there is no service, the user can retry.
    private func run() {
        attempt(orElse: (Action.retry.word, { [unowned self] in run() })) { [library] in try await library.run() }
    }

    private func show() {
        if application.activeWindow == nil {
            window = MainWindow(application, library) { [unowned self] body in attempt(body) }
        }
        window?.present()
    }

    private func add(_ name: String, _ key: String, _ body: @escaping (Library) async throws -> Void) {
        application.addAction(name, keys: [key]) { [unowned self] in attempt { [library] in try await body(library) } }
    }

    /// Runs `body`, and shows its failure.
    private func attempt(orElse remedy: Library.Button? = nil, _ body: @escaping () async throws -> Void) {
        Task {
            do { try await body() } catch {
                window?.say((error as? TransferFailure)?.message ?? "\(error)", remedy)
            }
        }
    }
}

let application = Application("io.longhaul.Screencasts", .opensFiles)
let screencasts = Screencasts(application)
exit(application.run())
