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
        // Without the mark, the notice would be repeated each time, so there is no notice if the directory is not writable.
        guard (try? Descriptor(opening: mark(paths), [.writing, .new])) != nil else { return nil }
        return notice
    }

    private static func mark(_ paths: LonghaulPaths) -> String { paths.stateDirectory + "/logout-notice" }
}
