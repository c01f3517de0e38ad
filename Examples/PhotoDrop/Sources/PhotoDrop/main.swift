import DesktopKit
import Glibc

// Photo Drop: drop photos, and leave. Uploads.swift submits the photos to Longhaul, which stores and transfers them. The other
// files are the window.

let application = Application("io.longhaul.PhotoDrop", .opensFiles)
let lifecycle = ProcessLifecycle()
let source = GtkLifecycle(application)
let uploads = Uploads(id: application.id, lifecycle: lifecycle)
let album = ServerAddress(of: "photo-drop")
/// The open window; `nil` if it is closed.
var window: PhotoWindow?

func showWindow() -> PhotoWindow {
    uploads.start()
    if let window {
        gtk_window_present(window.widget.cast())
        return window
    }
    let opened = PhotoWindow(application, uploads)
    window = opened
    on(opened.widget, "map") { Trace.windowAppeared() }
    on(opened.widget, "destroy") { window = nil }
    gtk_window_present(opened.widget.cast())
    return opened
}

func add(_ paths: [String]) {
    _ = showWindow()
    guard let address = album.value else { return askForAlbum { add(paths) } }
    uploads.add(paths, to: address)
}

func askForAlbum(then body: @escaping () -> Void) {
    album.ask(
        tr("Where Is Your Album?"), tr("Photos are sent to this address as a form, one by one."),
        over: showWindow().widget,
        then: body)
}

application.whenStarted = {
    Style.add(
        """
        .photo { border-radius: 8px; background: alpha(currentColor, 0.08); }
        toastoverlay:drop(active) { box-shadow: inset 0 0 0 3px @accent_bg_color; border-radius: 8px; }
        """)
    Task { await lifecycle.run(source) }
    uploads.whenChanged = { window?.ask() }
    uploads.whenRefused = { window?.toast.say($0) }
    uploads.whenFinished = {
        window?.toast.take($0)
        window?.ask()
    }
    uploads.whenTapped = { showWindow().show($0) }
    application.whenWoken { _ in _ = showWindow() }
    application.addAction("add", keys: ["<Control>o"]) {
        Files.choose(tr("Add Photos"), kind: (tr("Photos"), "image/*"), over: showWindow().widget, then: add)
    }
    application.addAction("album", keys: ["<Control>comma"]) { askForAlbum {} }
    application.addAction("clear", keys: ["<Control>l"]) { uploads.clear() }
    application.addAction("try-again", keys: ["<Control>r"]) {
        uploads.tryAgain(uploads.photos.filter(\.mayBeTriedAgain))
    }
    application.addAction("about") {
        showAbout(
            "Photo Drop", tr("Drop photos, and leave. They arrive once."), of: application, over: showWindow().widget)
    }
    application.addAction("quit", keys: ["<Control>q"]) { application.quit() }
    application.addAction("close", keys: ["<Control>w"]) {
        if let window { gtk_window_close(window.widget.cast()) }
    }
}
application.whenActivated = { _ = showWindow() }
application.whenOpened = add
exit(application.run())
