/// An application of GTK and libadwaita: one process per user, which other processes find by its identifier on the session bus.
///
/// ```swift
/// let application = Application("org.example.Photos")
/// application.whenActivated = { showWindow(of: application) }
/// exit(application.run())
/// ```
///
/// Closures run on the main actor, which is the main thread. `main.swift` must not use `await`, because GTK's loop runs the main
/// thread.
public final class Application {
    /// A capability of the application.
    public enum Flag {
        /// The application opens files: from the command line, or from a file manager.
        case opensFiles
    }

    /// GTK's object, which exists until the process exits.
    public let raw: UnsafeMutablePointer<AdwApplication>
    /// The identifier of the application, in reverse-DNS form.
    public let id: String
    /// Called once, before the other closures. Adds the actions.
    public var whenStarted: () -> Void = {}
    /// Called when the user starts the application, perhaps while it is running. Shows a window.
    public var whenActivated: () -> Void = {}
    /// Called with absolute paths when the user opens files with the application.
    public var whenOpened: ([String]) -> Void = { _ in }

    /// Creates the application. It starts with ``run()``.
    public init(_ id: String, _ flags: Flag...) {
        self.id = id
        let opens = flags.contains(.opensFiles)
        Translation.begin()
        raw = adw_application_new(id, opens ? G_APPLICATION_HANDLES_OPEN : GApplicationFlags(rawValue: 0))
        MainLoop.join()
        on(raw, "startup") { [unowned self] in
            Style.add(Style.shared)
            whenStarted()
        }
        on(raw, "activate") { [unowned self] in whenActivated() }
        if opens {
            on(raw, "open", with: { [unowned self] in whenOpened(Self.paths($0)) })
        }
    }

    /// The window that was active last; `nil` if there is no window.
    public var activeWindow: UnsafeMutablePointer<GtkWindow>? { gtk_application_get_active_window(raw.cast()) }

    /// Runs until the last window is closed and nothing holds the application. Returns the exit status of the process.
    public func run() -> Int32 {
        var arguments = CommandLine.unsafeArgv
        return withUnsafeMutablePointer(to: &arguments) { g_application_run(raw.cast(), CommandLine.argc, $0.pointee) }
    }

    /// Ends the application, as closing the last window does.
    public func quit() {
        g_application_quit(raw.cast())
    }

    /// Keeps the application running while `body` runs, even without a window (Apple: until the completion handler).
    public func whileHeld(_ body: @escaping () async -> Void) {
        g_application_hold(raw.cast())
        Task {
            await body()
            g_application_release(raw.cast())
        }
    }

    /// Adds an action, for menus and buttons as `app.NAME`, for keys, and for the session bus.
    public func addAction(_ name: String, keys: [String] = [], _ body: @escaping () -> Void) {
        addAction(name, keys: keys, type: nil) { _ in body() }
    }

    /// Adds an action with a text as its parameter.
    public func addAction(_ name: String, taking body: @escaping (String) -> Void) {
        addAction(name, keys: [], type: "s") { parameter in
            guard let text = parameter.flatMap({ g_variant_get_string($0, nil) }) else { return }
            body(String(cString: text))
        }
    }

    private func addAction(
        _ name: String, keys: [String], type: String?, _ body: @escaping (OpaquePointer?) -> Void
    ) {
        let parameterType = type.map { g_variant_type_new($0) }
        let action: OpaquePointer = g_simple_action_new(name, parameterType ?? nil)
        if let parameterType { g_variant_type_free(parameterType) }
        on(action, "activate", with: { body($0.variant(1)) })
        g_action_map_add_action(raw.cast(), action)
        g_object_unref(action.address)
        guard !keys.isEmpty else { return }
        var list = keys.map { UnsafePointer(g_strdup($0)) } + [nil]
        gtk_application_set_accels_for_action(raw.cast(), "app." + name, &list)
        for key in list { g_free(UnsafeMutableRawPointer(mutating: key)) }
    }

    private static func paths(_ arguments: SignalArguments) -> [String] {
        guard let files = arguments.pointer(1)?.assumingMemoryBound(to: OpaquePointer?.self) else { return [] }
        return (0..<arguments.int(2)).compactMap { FilePath.of(files[$0]) }
    }
}

/// The paths of GLib's file objects.
public enum FilePath {
    /// Returns the path of a `GFile`; `nil` for a file on another machine.
    public static func of(_ file: OpaquePointer?) -> String? {
        guard let path = file.flatMap({ g_file_get_path($0) }) else { return nil }
        defer { g_free(path) }
        return String(cString: path)
    }
}
