import CLinux
import Glibc
import LonghaulIPC

/// Tells when a name appears in a directory.
final class NamesWatch: Sendable {
    let number: Int32

    /// `nil` when the kernel has no watch left: a user has few of them, and other programs may hold all.
    init?(_ directory: String) {
        let opened = longhaul_watch_directory(directory)
        guard opened >= 0 else { return nil }
        number = opened
    }

    /// The kernel ends a watch when nobody can be looking at it any more, some 20 ms later. Nobody has to wait for that.
    deinit {
        NativeThread { [number] in _ = close(number) }.letGo()
    }

    /// Forgets what it has told.
    func drain() {
        withUnsafeTemporaryAllocation(byteCount: 4 << 10, alignment: 8) { scratch in
            while read(number, scratch.baseAddress, scratch.count) > 0 {}
        }
    }
}
