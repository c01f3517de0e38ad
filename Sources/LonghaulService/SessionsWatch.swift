import CLinux
import Glibc
import LonghaulCore
import LonghaulIPC

/// Notices sessions that other processes make while the service runs, so that it can wait for them.
///
/// A new directory alone says too little: its maker takes the lock a moment later, and must not find it taken. So each
/// directory in which nothing is to be seen yet is watched as well, until the next name appears there.
struct SessionsWatch {
    let descriptor: Descriptor
    private let directories: SessionDirectories

    /// `nil` where the kernel cannot watch: then a session is noticed when it is asked for, and at the next start.
    init?(_ directories: SessionDirectories, sessions: String) {
        let number = longhaul_watch_directory(sessions)
        guard number >= 0 else {
            ServiceLog.notice("new sessions cannot be seen", ["errno": String(-number)])
            return nil
        }
        descriptor = Descriptor(number)
        self.directories = directories
    }

    /// Something has appeared somewhere. Whoever lists the sessions after this call misses none.
    func renew() {
        longhaul_watch_clear(descriptor.number)
        for id in directories.existing() where !directories.isBegun(id) {
            // Gone meanwhile, or one too many for the kernel: then as without a watch.
            _ = longhaul_watch_once(descriptor.number, directories.layout(id).directory)
        }
    }
}
