import CLinux
import Glibc
import LonghaulCore
import LonghaulIPC

/// The socket in the state directory, where clients find the service. Only the holder of the lock has one.
///
/// Its name may be lost while the service works: somebody cleans up, or brings back a backup. Then it is made again.
final class ServiceDoor {
    /// Readable when the name may be gone; `nil` where the kernel cannot watch.
    let losses: Descriptor?
    private let paths: LonghaulPaths
    private let lock: ServiceLock
    /// Where the socket is: in the state directory, or where its file system cannot hold one, elsewhere.
    private(set) var place: String
    private var identity: FileIdentity?

    private init(_ paths: LonghaulPaths, _ lock: ServiceLock) {
        self.paths = paths
        self.lock = lock
        place = paths.socket
        let number = longhaul_watch_losses(paths.stateDirectory)
        losses = number >= 0 ? Descriptor(number) : nil
    }

    static func open(
        _ paths: LonghaulPaths, _ lock: ServiceLock
    ) throws(TransferFailure) -> (door: ServiceDoor, listener: Descriptor) {
        let door = ServiceDoor(paths, lock)
        return (door, try door.listen())
    }

    /// Call it when `losses` is readable: a new listener when the old one cannot be found any more.
    func renewed() -> Descriptor? {
        if let losses { longhaul_watch_clear(losses.number) }
        // Without the lock in its place another service may be there, and the name is that one's.
        guard FileIdentity(place) != identity || !isNamed, lock.isInPlace else { return nil }
        do throws(TransferFailure) {
            let listener = try listen()
            ServiceLog.notice("the socket was gone and is made again", ["socket": place])
            return listener
        } catch {
            ServiceLog.notice("the socket is gone", ["code": error.code.rawValue, "message": error.message])
            return nil
        }
    }

    func close() {
        // Another service may be there by now.
        guard FileIdentity(place) == identity else { return }
        unlink(place)
        if place != paths.socket { unlink(paths.address) }
    }

    private var isNamed: Bool {
        place == paths.socket || ServiceTraces.address(paths) == place
    }

    private func listen() throws(TransferFailure) -> Descriptor {
        // What a killed service left there.
        if let left = ServiceTraces.address(paths), left.hasPrefix(Self.otherDirectory + "/") { unlink(left) }
        do throws(TransferFailure) {
            let listener = try UnixSocket.listen(path: paths.socket)
            unlink(paths.address)
            keep(paths.socket)
            return listener
        } catch {
            guard case .system(let number) = error.origin, Self.cannotHoldSockets.contains(Int32(number)) else {
                throw error
            }
        }
        return try listenElsewhere()
    }

    /// What bind(2) answers on FAT, FUSE, CIFS, 9p and their like.
    private static let cannotHoldSockets = [EPERM, EOPNOTSUPP, ENOSYS, EINVAL, ENXIO]

    private static var otherDirectory: String { "/tmp/longhaul-\(getuid())" }

    private func listenElsewhere() throws(TransferFailure) -> Descriptor {
        // Everybody can write in /tmp, so what is there already may be a trap.
        try PrivateDirectory.create(Self.otherDirectory, mayTighten: false)
        let path = "\(Self.otherDirectory)/\(getpid()).socket"
        let listener = try UnixSocket.listen(path: path)
        try write(path + "\n", to: paths.address)
        keep(path)
        return listener
    }

    private func keep(_ path: String) {
        place = path
        identity = FileIdentity(path)
    }

    private func write(_ text: String, to path: String) throws(TransferFailure) {
        let draft = path + ".new"
        let number = Glibc.open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard number >= 0 else { throw TransferFailure(.fileFailed, "\(draft) cannot be written.", error: errno) }
        let file = Descriptor(number)
        guard Glibc.write(file.number, text, text.utf8.count) == text.utf8.count, rename(draft, path) == 0 else {
            throw TransferFailure(.fileFailed, "\(path) cannot be written.", error: errno)
        }
    }
}
