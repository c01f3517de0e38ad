import DesktopKit
import Glibc

/// The files of this app: the videos, and the feed of the last time.
nonisolated struct Folder: Sendable {
    /// `Screencasts` among the person's videos.
    let path: String
    /// Whether the app has never run before.
    let isNew: Bool
    private let feedPath: String

    /// Finds the folders, and makes what is not there.
    init(appID: String) {
        let videos = g_get_user_special_dir(G_USER_DIRECTORY_VIDEOS).map { String(cString: $0) }
        path = (videos ?? String(cString: g_get_home_dir()) + "/Videos") + "/Screencasts"
        let data = String(cString: g_get_user_data_dir()) + "/" + appID
        feedPath = data + "/feed.json"
        isNew = access(data, F_OK) != 0
        for directory in [path, data] { g_mkdir_with_parents(directory, 0o755) }
    }

    /// The feed of the last time; `nil` before the first one. One that cannot be read is fetched again.
    @concurrent func keptFeed() async -> Feed? { Self.contents(feedPath).flatMap { try? Feed(json: $0) } }

    /// Reads a feed and keeps it for the next start.
    @concurrent func keep(_ json: [UInt8]) async throws -> Feed {
        let feed = try Feed(json: json)
        g_file_set_contents(feedPath, json.map { gchar(bitPattern: $0) }, gssize(json.count), nil)
        return feed
    }

    /// The paths of the visible files among the videos.
    @concurrent func videos() async -> [String] {
        guard let directory = g_dir_open(path, 0, nil) else { return [] }
        defer { g_dir_close(directory) }
        let names = sequence(state: directory) { g_dir_read_name($0).map { String(cString: $0) } }
        return names.filter { !$0.hasPrefix(".") }.map { path + "/" + $0 }
    }

    /// Puts a file where the person can get it back from. One that is gone already is no trouble.
    @concurrent static func trash(_ path: String) async throws {
        let file = g_file_new_for_path(path)
        defer { g_object_unref(file?.address) }
        guard g_file_trash(file, nil, nil) == 0, access(path, F_OK) == 0 else { return }
        throw TransferFailure(.fileFailed, "\(path) cannot be put into the trash. Delete it in the file manager.")
    }

    /// Reads a file.
    @concurrent static func read(_ path: String) async throws -> [UInt8] {
        guard let contents = contents(path) else { throw TransferFailure(.sourceUnreadable, "\(path) cannot be read.") }
        return contents
    }

    private static func contents(_ path: String) -> [UInt8]? {
        var contents: UnsafeMutablePointer<gchar>?
        var length: gsize = 0
        guard g_file_get_contents(path, &contents, &length, nil) != 0, let contents else { return nil }
        defer { g_free(contents) }
        return Array(UnsafeRawBufferPointer(start: contents, count: Int(length)))
    }
}
