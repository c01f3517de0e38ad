import Glibc

extension Files {
    /// Opens a file in the user's app for its kind, as a double click in a file manager does, or its folder if no app
    /// opens it. `refused` receives a sentence if both fail.
    public static func open(_ path: String, over window: Widget?, refused: @escaping (String) -> Void) {
        guard access(path, F_OK) == 0 else {
            return refused(tr("%1 no longer exists", String(name(of: path))))
        }
        Opening(window, [path, folder(of: path)]) {
            refused(tr("%1 cannot be opened: no app is there for it", String(name(of: path))))
        }
        .next()
    }

    private static func name(of path: String) -> Substring { path.split(separator: "/").last ?? "/" }

    private static func folder(of path: String) -> String {
        "/" + path.split(separator: "/").dropLast().joined(separator: "/")
    }
}

/// Opens the first path for which there is an app. GTK uses the desktop's portal if it exists, so this works in a sandbox too.
private final class Opening {
    private let window: Widget?
    private var paths: [String]
    private let failed: () -> Void

    init(_ window: Widget?, _ paths: [String], failed: @escaping () -> Void) {
        (self.window, self.paths, self.failed) = (window, paths, failed)
    }

    func next() {
        guard !paths.isEmpty else { return failed() }
        guard let address = g_filename_to_uri(paths.removeFirst(), nil, nil) else { return next() }
        defer { g_free(address) }
        gtk_show_uri_full(
            window?.cast(), address, guint32(GDK_CURRENT_TIME), nil,
            { window, result, data in
                let opening = Unmanaged<Opening>.fromOpaque(data!).takeRetainedValue()
                let isOpen = gtk_show_uri_full_finish(window?.cast(), result, nil) != 0
                if !isOpen { opening.next() }
            }, Unmanaged.passRetained(self).toOpaque())
    }
}
