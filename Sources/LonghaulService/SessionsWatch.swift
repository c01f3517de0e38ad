import LonghaulCore
import LonghaulIPC
import LonghaulSystem

/// Notices sessions that other processes make while the service runs, so that it can wait for them.
///
/// A new directory alone says too little: its maker takes the lock a moment later, and must not find it taken. So each
/// directory in which nothing is to be seen yet is watched as well, until the next name appears there.
struct SessionsWatch {
    var descriptor: Descriptor { watch.descriptor }
    private let watch: DirectoryWatch
    private let directories: SessionDirectories

    /// `nil` where the kernel cannot watch: then a session is noticed when it is asked for, and at the next start.
    init?(_ directories: SessionDirectories, sessions: String) {
        do throws(SystemError) {
            watch = try DirectoryWatch(sessions, for: .appears)
        } catch {
            ServiceLog.notice("new sessions cannot be seen", ["errno": String(error.number)])
            return nil
        }
        self.directories = directories
    }

    /// Something has appeared somewhere. Whoever lists the sessions after this call misses none.
    func renew() {
        watch.take()
        for id in directories.existing() where !directories.isBegun(id) {
            // Gone meanwhile, or one too many for the kernel: then as without a watch.
            try? watch.add(directories.layout(id).directory, for: [.appears, .once])
        }
    }
}
