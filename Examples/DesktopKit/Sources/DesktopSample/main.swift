import DesktopKit
import Glibc

// An empty window that prints each state of its lifecycle. The file in SAMPLE_FILE can be dragged from the window. With
// SAMPLE_LINGERS in the environment, the handler of each state takes 200 ms. With SAMPLE_TOASTS, toasts change faster than they
// slide.

func say(_ line: some Any) {
    print(line)
    fflush(nil)
}

func hurry(_ toast: ProgressToast) async {
    for pause in [0, 20, 100, 150, 250, 400, 600] {
        toast.say("Refused \(pause)", button: ("Try Again", "app.quit"))
        try? await Task.sleep(for: .milliseconds(400))
        toast.show("Under way", detail: "40%")
        try? await Task.sleep(for: .milliseconds(pause))
        toast.end()
        try? await Task.sleep(for: .milliseconds(700))
    }
    toast.say("All said")
    say("all said")
}

let application = Application("io.longhaul.DesktopSample")
let lifecycle = ProcessLifecycle(gracePeriod: .seconds(2))
let source = GtkLifecycle(application)

application.whenStarted = {
    application.addAction("quit", keys: ["<Control>q"]) { application.quit() }
    application.whenWoken { session in say("woken for \(session)") }
    Task { await lifecycle.run(source) }
    let states = lifecycle.states
    Task {
        for await state in states {
            say(state)
            if getenv("SAMPLE_LINGERS") != nil {
                try? await Task.sleep(for: .milliseconds(200))
                say("handled")
            }
        }
    }
}
application.whenActivated = {
    if let window = application.activeWindow {
        gtk_window_present(window)
        return
    }
    let window: Widget = adw_application_window_new(application.raw.cast())
    let page: Widget = adw_status_page_new()
    adw_status_page_set_title(page.cast(), "DesktopKit")
    let view: Widget = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
    gtk_box_append(view.cast(), adw_header_bar_new())
    gtk_box_append(view.cast(), page)
    gtk_widget_set_vexpand(page, 1)
    let overlay: Widget = adw_toast_overlay_new()
    adw_toast_overlay_set_child(overlay.cast(), view)
    adw_application_window_set_content(window.cast(), overlay)
    gtk_window_set_title(window.cast(), "DesktopKit")
    gtk_window_set_default_size(window.cast(), 360, 300)
    if let file = getenv("SAMPLE_FILE") {
        let list = Array("file://\(String(cString: file))\r\n".utf8)
        let drag = gtk_drag_source_new()
        gtk_drag_source_set_content(
            drag, gdk_content_provider_new_for_bytes("text/uri-list", g_bytes_new(list, gsize(list.count))))
        gtk_widget_add_controller(view, drag?.cast())
    }
    gtk_window_present(window.cast())
    if getenv("SAMPLE_TOASTS") != nil { Task { await hurry(ProgressToast(over: overlay)) } }
}
exit(application.run())
