import DesktopKit
import Glibc

// Stormy with a window. At noon, the session bus starts the app without its window. It requests the weather and exits. A click on
// the notification of a storm opens the window and asks for a photo.

let application = Application("io.longhaul.Stormy")
let storms = Storms(id: application.id)
/// The open window; `nil` if it is closed.
var window: StormyWindow?

func showWindow() -> StormyWindow {
    if let window {
        gtk_window_present(window.widget.cast())
        return window
    }
    let opened = StormyWindow(application, storms)
    window = opened
    on(opened.widget, "destroy") { window = nil }
    gtk_window_present(opened.widget.cast())
    storms.start()
    return opened
}

application.whenStarted = {
    Style.add(".legend image { color: @warning_color; -gtk-icon-size: 12px; }")
    storms.whenChanged = { window?.ask() }
    storms.whenTold = { window?.say($0) }
    storms.takePhotos = { await Dialogs.choosePhotos(over: showWindow().widget) }
    application.whenWoken { _ in await storms.runDue() }
    application.addAction("check", keys: ["<Control>r", "F5"]) { application.whileHeld { await storms.check() } }
    application.addAction("photo", keys: ["<Control>o"]) {
        application.whileHeld { await storms.send(Dialogs.choosePhotos(over: showWindow().widget)) }
    }
    application.addAction("addresses", keys: ["<Control>comma"]) {
        Dialogs.askForAddresses(over: showWindow().widget) { application.whileHeld { await storms.restart() } }
    }
    application.addAction("about") {
        showAbout("Stormy", tr("Checks the weather every day at noon."), of: application, over: showWindow().widget)
    }
    application.addAction("quit", keys: ["<Control>q"]) { application.quit() }
    application.addAction("close", keys: ["<Control>w"]) {
        if let window { gtk_window_close(window.widget.cast()) }
    }
}
application.whenActivated = { _ = showWindow() }
exit(application.run())
