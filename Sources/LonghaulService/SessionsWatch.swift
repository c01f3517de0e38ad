import LonghaulCore
import LonghaulIPC
import LonghaulSystem

/// Detects sessions that other processes create while the service runs, so that it can wait for them.
///
/// A new directory alone is not enough: its creator takes the lock a moment later, and must find it free. So each empty directory is
/// watched too, until the next name appears in it.
struct SessionsWatch: Sendable {
    var descriptor: Descriptor { watch.descriptor }
    private let watch: DirectoryWatch
    private let directories: SessionDirectories

    /// Returns `nil` if the kernel cannot watch: then a session is detected by a request for it, or at the next start.
    init?(_ directories: SessionDirectories, sessions: String) {
        do throws(SystemError) {
            watch = try DirectoryWatch(sessions, for: .appears)
        } catch {
            ServiceLog.notice("new sessions cannot be seen", ["errno": String(error.number)])
            return nil
        }
        self.directories = directories
    }

    /// Watches a closed session until another process opens it, or this one.
    ///
    /// If the directory is missing by now, or the kernel's limit is reached, there is no watch: the next request or the next start
    /// detects the opening.
    func watch(_ id: SessionID) { try? watch.add(directories.layout(id).directory, for: [.appears, .once]) }

    /// Handles an event. A caller that lists the sessions after this call misses none.
    func renew() {
        watch.readEvents()
        for id in directories.existing() where !directories.isBegun(id) {
            watch(id)
        }
    }
}
