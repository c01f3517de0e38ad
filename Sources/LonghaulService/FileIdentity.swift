import Glibc
import LonghaulCore

/// Which file a path stands for.
struct FileIdentity: Equatable {
    private let device: UInt64
    private let number: UInt64

    init?(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }
}
