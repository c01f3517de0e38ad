import LonghaulCore
import Synchronization

/// A small download's whole body, which has no file yet. Nobody changes it.
final class HeldBody: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer
    private let memory: UnsafeMutableRawBufferPointer
    private let room: HeldRoom

    /// Takes the memory over, whose first `count` bytes are the body, and the room for them.
    fileprivate init(_ memory: UnsafeMutableRawBufferPointer, count: Int, room: HeldRoom) {
        bytes = UnsafeRawBufferPointer(rebasing: memory.prefix(count))
        self.memory = memory
        self.room = room
    }

    deinit {
        room.giveBack(bytes.count)
        memory.deallocate()
    }
}

/// How many bytes may be held, until the last owner of each body lets go of it.
private final class HeldRoom: Sendable {
    /// For some hundred files of the usual small size.
    private static let size = 8 << 20
    private let taken = Atomic(0)

    func take(_ count: Int) -> Bool {
        if taken.add(count, ordering: .relaxed).newValue <= Self.size { return true }
        giveBack(count)
        return false
    }

    func giveBack(_ count: Int) { taken.subtract(count, ordering: .relaxed) }
}

/// Complete small bodies by the paths of their partial files, from the end of an exchange until they are placed: then they
/// are written, and not under one name by one thread to be opened again by another one.
final class HeldBodies: Sendable {
    private let room = HeldRoom()
    private let bodies = Mutex<[String: HeldBody]>([:])

    /// Takes the body of a file that was not opened yet; `false` when it is not all in memory, or there is no room for it.
    func hold(_ file: PartialFile) -> Bool {
        guard file.isWholeInMemory, room.take(Int(file.taken)) else { return false }
        let body = HeldBody(file.takeMemory(), count: Int(file.taken), room: room)
        bodies.withLock { $0[file.path] = body }
        return true
    }

    func take(path: String) -> HeldBody? {
        bodies.withLock { $0.isEmpty ? nil : $0.removeValue(forKey: path) }
    }

    /// Another body comes for this path, or none is wanted any more.
    func forget(path: String) {
        _ = take(path: path)
    }
}
