/// An application of GTK and libadwaita: one process for each person, which others find by its identifier on the bus.
///
/// ```swift
/// let application = Application("org.example.Photos")
/// application.whenActivated = { showWindow(of: application) }
/// exit(application.run())
/// ```
///
/// Closures run on the main actor, which is the main thread. `main.swift` has no `await` of its own: GTK's loop is the
/// one that runs.
public final class Application {
    /// What the closures are called for.
    public enum Flag {
        /// Files can be given: on the command line, or from a file manager.
        case opensFiles
    }

    /// The object of GTK; it lives as long as the process.
    public let raw: UnsafeMutablePointer<AdwApplication>
    /// Its identifier, in reverse-DNS form.
    public let id: String
    /// Once, before everything else: the place for actions.
    public var whenStarted: () -> Void = {}
    /// The person started it, again maybe: show a window.
    public var whenActivated: () -> Void = {}
    /// The person opened files with it; absolute paths.
    public var whenOpened: ([String]) -> Void = { _ in }

    /// Makes the application; nothing happens before it runs.
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

    /// The window that was in front last, if there is one.
    public var activeWindow: UnsafeMutablePointer<GtkWindow>? { gtk_application_get_active_window(raw.cast()) }

    /// Runs until the last window is closed and nothing holds the application; the process's exit status.
    public func run() -> Int32 {
        var arguments = CommandLine.unsafeArgv
        return withUnsafeMutablePointer(to: &arguments) { g_application_run(raw.cast(), CommandLine.argc, $0.pointee) }
    }

    /// Ends it, as the last window's closing does.
    public func quit() {
        g_application_quit(raw.cast())
    }

    /// Keeps the application running while `body` does, without a window too (Apple: until its completion handler).
    public func whileHeld(_ body: @escaping () async -> Void) {
        g_application_hold(raw.cast())
        Task {
            await body()
            g_application_release(raw.cast())
        }
    }

    /// Adds an action: for a menu or a button as `app.NAME`, for a key, for the bus.
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

/// Paths of files as GLib gives them.
public enum FilePath {
    /// The path of a `GFile`; `nil` for one that is not on this machine.
    public static func of(_ file: OpaquePointer?) -> String? {
        guard let path = file.flatMap({ g_file_get_path($0) }) else { return nil }
        defer { g_free(path) }
        return String(cString: path)
    }
}
