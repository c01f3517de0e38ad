import LonghaulCore
import LonghaulIPC
import LonghaulSystem

/// Tells the user once that transfers in the background stop at logout: when a command first leaves transfers to the service.
enum LogoutNotice {
    /// Returns the notice, and marks it as shown in the state directory.
    static func takeOnce(_ world: World) -> String? {
        guard let paths = try? LonghaulPaths(environment: world.environment), !LocalFiles.exists(mark(paths)),
            let notice = world.examineLogout().notice
        else { return nil }
        // Without a mark the notice would come again each time, so a directory that cannot be written has none.
        guard (try? Descriptor(opening: mark(paths), [.writing, .new])) != nil else { return nil }
        return notice
    }

    private static func mark(_ paths: LonghaulPaths) -> String { paths.stateDirectory + "/logout-notice" }
}
