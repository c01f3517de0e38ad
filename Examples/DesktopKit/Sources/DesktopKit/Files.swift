import Glibc

/// Files that the user chooses in a dialog or drops on a window, and operations on files outside of the main thread.
public enum Files {
    /// Returns the contents of a file; `nil` if it cannot be read.
    @concurrent public static func read(_ path: String) async -> [UInt8]? {
        var contents: UnsafeMutablePointer<gchar>?
        var length: gsize = 0
        guard g_file_get_contents(path, &contents, &length, nil) != 0, let contents else { return nil }
        defer { g_free(contents) }
        return Array(UnsafeRawBufferPointer(start: contents, count: Int(length)))
    }

    /// Replaces a file atomically. Returns whether that succeeded.
    @concurrent public static func write(_ bytes: [UInt8], to path: String) async -> Bool {
        g_file_set_contents(path, bytes.map { gchar(bitPattern: $0) }, gssize(bytes.count), nil) != 0
    }

    /// Returns a folder of the user, such as Downloads: the folder that the desktop has set for this kind, otherwise the one with
    /// this English name in the home directory. Creates the folder if it is missing.
    public static func folder(_ kind: GUserDirectory, _ name: String) -> String {
        let path =
            g_get_user_special_dir(kind).map { String(cString: $0) } ?? String(cString: g_get_home_dir()) + "/" + name
        g_mkdir_with_parents(path, 0o755)
        return path
    }

    /// Returns the paths of the visible files in a directory.
    @concurrent public static func visible(in directory: String) async -> [String] {
        guard let handle = g_dir_open(directory, 0, nil) else { return [] }
        defer { g_dir_close(handle) }
        let names = sequence(state: handle) { g_dir_read_name($0).map { String(cString: $0) } }
        return names.filter { !$0.hasPrefix(".") }.map { directory + "/" + $0 }
    }

    /// Moves a file to the trash, from which the user can restore it. A missing file is no failure.
    @concurrent public static func trash(_ path: String) async throws(TransferFailure) {
        let file = g_file_new_for_path(path)
        defer { if let file { g_object_unref(file.address) } }
        guard g_file_trash(file, nil, nil) == 0, access(path, F_OK) == 0 else { return }
        throw TransferFailure(.fileFailed, tr("%1 cannot be put into the trash. Delete it in the file manager.", path))
    }

    /// Lets the user choose one or more files of a type, such as `image/*`. `body` receives their paths. If the user cancels,
    /// `otherwise` is called instead.
    public static func choose(
        _ title: String, kind: (name: String, type: String), over window: Widget,
        then body: @escaping ([String]) -> Void, otherwise: @escaping () -> Void = {}
    ) {
        let chooser = gtk_file_chooser_native_new(
            title, window.cast(), GTK_FILE_CHOOSER_ACTION_OPEN, tr("_Add"), tr("_Cancel"))!
        let filter = gtk_file_filter_new()
        gtk_file_filter_set_name(filter, kind.name)
        gtk_file_filter_add_mime_type(filter, kind.type)
        gtk_file_chooser_add_filter(chooser.cast(), filter)
        gtk_file_chooser_set_select_multiple(chooser.cast(), 1)
        on(
            chooser, "response",
            with: { arguments in
                defer { g_object_unref(chooser.address) }
                guard arguments.int(1) == Int(GTK_RESPONSE_ACCEPT.rawValue) else { return otherwise() }
                let files = gtk_file_chooser_get_files(chooser.cast())
                defer { g_object_unref(files?.address) }
                body(
                    (0..<g_list_model_get_n_items(files)).compactMap { index in
                        let file = g_list_model_get_item(files, index)
                        defer { g_object_unref(file) }
                        return FilePath.of(file.map { OpaquePointer($0) })
                    })
            })
        gtk_native_dialog_show(chooser.cast())
    }

    /// Accepts files that the user drops on a widget. `body` receives their paths.
    public static func acceptDrops(on target: Widget, _ body: @escaping ([String]) -> Void) {
        let drops: OpaquePointer = gtk_drop_target_new(gdk_file_list_get_type(), GDK_ACTION_COPY)
        DesktopKit.on(
            drops, "drop",
            answer: { arguments in
                let files = gdk_file_list_get_files(arguments.boxed(1))
                defer { g_slist_free(files) }
                let paths = sequence(first: files, next: { $0?.pointee.next }).prefix { $0 != nil }.compactMap {
                    FilePath.of($0?.pointee.data.map { OpaquePointer($0) })
                }
                if !paths.isEmpty { body(paths) }
                return !paths.isEmpty
            })
        gtk_widget_add_controller(target, drops.cast())
    }
}
