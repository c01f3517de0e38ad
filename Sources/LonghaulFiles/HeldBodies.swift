import LonghaulCore
import Synchronization

/// The whole body of a small download that has no file yet. It is immutable.
final class HeldBody: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer
    private let memory: UnsafeMutableRawBufferPointer
    private let room: HeldMemory

    /// Takes over the memory, whose first `count` bytes are the body, and the reservation for them.
    fileprivate init(_ memory: UnsafeMutableRawBufferPointer, count: Int, room: HeldMemory) {
        bytes = UnsafeRawBufferPointer(rebasing: memory.prefix(count))
        self.memory = memory
        self.room = room
    }

    deinit {
        room.giveBack(bytes.count)
        memory.deallocate()
    }
}

/// The number of bytes that may be held. Bytes count until the last owner of a body releases it.
private final class HeldMemory: Sendable {
    /// Enough for some hundred small files of the usual size.
    private static let size = 8 << 20
    private let taken = Atomic(0)

    func reserve(_ count: Int) -> Bool {
        if taken.add(count, ordering: .relaxed).newValue <= Self.size { return true }
        giveBack(count)
        return false
    }

    func giveBack(_ count: Int) { taken.subtract(count, ordering: .relaxed) }
}

/// Complete small bodies by the paths of their partial files, from the end of an exchange until they are placed. They
/// are written once, so that no second thread has to reopen a partial file.
final class HeldBodies: Sendable {
    private let room = HeldMemory()
    private let bodies = Mutex<[String: HeldBody]>([:])

    /// Takes the body of a file that was not opened yet; `false` if it is not entirely in memory, or if there is no room for it.
    func hold(_ file: PartialFile) -> Bool {
        guard file.isWholeInMemory, room.reserve(Int(file.taken)) else { return false }
        let body = HeldBody(file.takeMemory(), count: Int(file.taken), room: room)
        bodies.withLock { $0[file.path] = body }
        return true
    }

    func remove(path: String) -> HeldBody? {
        bodies.withLock { $0.isEmpty ? nil : $0.removeValue(forKey: path) }
    }

    /// Drops the body of this path, because another one is coming or none is needed.
    func forget(path: String) {
        _ = remove(path: path)
    }
}
