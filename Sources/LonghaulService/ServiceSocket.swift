import LonghaulCore
import LonghaulIPC
import LonghaulSystem

/// The socket in the state directory, where clients find the service. Only the holder of the lock has one.
///
/// Its name may be deleted while the service runs, by a cleanup or by the restoration of a backup. Then the socket is recreated.
final class ServiceSocket {
    /// Readable if the name may be missing; `nil` if the kernel cannot watch it.
    var losses: Descriptor? { watch?.descriptor }
    private let watch: DirectoryWatch?
    private let paths: LonghaulPaths
    private let lock: ServiceLock
    /// The path of the socket: in the state directory, or elsewhere if its file system does not support sockets.
    private(set) var place: String
    private var identity: FileIdentity?

    private init(_ paths: LonghaulPaths, _ lock: ServiceLock) {
        self.paths = paths
        self.lock = lock
        place = paths.socket
        watch = try? DirectoryWatch(paths.stateDirectory, for: [.vanishes, .replaced])
    }

    static func open(
        _ paths: LonghaulPaths, _ lock: ServiceLock
    ) throws(TransferFailure) -> (door: ServiceSocket, listener: Descriptor) {
        let door = ServiceSocket(paths, lock)
        return (door, try door.listen())
    }

    /// Call it when `losses` is readable. Returns a new listener if clients can no longer find the old one.
    func renewed() -> Descriptor? {
        watch?.readEvents()
        // If the lock was replaced, another service may be running, and the name belongs to that one.
        guard Files.identity(place, followsLinks: false) != identity || !isNamed, lock.isInPlace else { return nil }
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
        // Another service may be running by now.
        guard Files.identity(place, followsLinks: false) == identity else { return }
        Files.discard(place)
        if place != paths.socket { Files.discard(paths.address) }
    }

    private var isNamed: Bool {
        place == paths.socket || ServiceTraces.address(paths) == place
    }

    private func listen() throws(TransferFailure) -> Descriptor {
        // The socket of a killed service.
        if let left = ServiceTraces.address(paths), left.hasPrefix(Self.otherDirectory + "/") { Files.discard(left) }
        do throws(TransferFailure) {
            let listener = try UnixSocket.listen(path: paths.socket)
            Files.discard(paths.address)
            keep(paths.socket)
            return listener
        } catch {
            guard case .system(let number) = error.origin, SystemError(Int32(number)).isLackOfSockets else {
                throw error
            }
        }
        return try listenElsewhere()
    }

    private static var otherDirectory: String { "/tmp/longhaul-\(ThisProcess.user)" }

    private func listenElsewhere() throws(TransferFailure) -> Descriptor {
        // Every user can write in /tmp, so an existing directory may be a trap.
        try PrivateDirectory.create(Self.otherDirectory, mayTighten: false)
        let path = "\(Self.otherDirectory)/\(ThisProcess.id).socket"
        let listener = try UnixSocket.listen(path: path)
        try write(path + "\n", to: paths.address)
        keep(path)
        return listener
    }

    private func keep(_ path: String) {
        place = path
        identity = Files.identity(path, followsLinks: false)
    }

    private func write(_ text: String, to path: String) throws(TransferFailure) {
        do throws(SystemError) {
            let draft = path + ".new"
            try Descriptor(opening: draft, [.writing, .making, .emptied, .noLink]).write(text)
            try Files.rename(draft, to: path)
        } catch {
            throw TransferFailure(.fileFailed, "Could not write \(path).", error: error)
        }
    }
}
