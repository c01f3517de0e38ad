import DesktopKit
import Glibc

// One download with a window. Close it, kill it, start it again: the download continues, and the row shows its progress.

let address = getenv("ADDRESS").map { String(cString: $0) } ?? "https://example.org/film.mp4"
let application = Application("org.example.OneDownload")

func showWindow() {
    if let window = application.activeWindow { return gtk_window_present(window) }
    let row = ProgressRow("The Film", picture: gtk_image_new_from_icon_name("video-x-generic-symbolic"))
    let (page, toasts) = (scrolledPage(boxedList("Downloads", row.widget)), adw_toast_overlay_new()!)
    let toast = ProgressToast(over: toasts, above: page)
    gtk_window_present(
        window("One Download", of: application, width: 400, height: 300, toasts: toasts, page).cast())
    Task {
        do throws(TransferFailure) {
            let session = try await TransferSession.open(application.id)
            let film = try await session.download(
                from: address, to: Files.folder(G_USER_DIRECTORY_DOWNLOAD, "Downloads"), key: "film")
            for try await snapshot in film.snapshots {
                row.show(snapshot, done: "Downloaded")
                row.opens(snapshot.state == .succeeded ? snapshot.path : nil) { toast.say($0) }
            }
        } catch {
            toast.say(error.message)
        }
    }
}

application.whenActivated = showWindow
exit(application.run())
