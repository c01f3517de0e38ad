import LonghaulCore
import LonghaulSystem

/// The engine's own descriptor for a connection of libcurl, whose handle is paused while the engine transfers the body.
///
/// libcurl keeps its descriptor and its state: it continues if the engine returns the rest of a body, and it closes the
/// connection at the end of the transfer. While the engine receives, libcurl's descriptor refers to a socket that never
/// receives data.
struct TakenSocket {
    enum Direction {
        case receiving
        case sending
    }

    var descriptor: Int32 { owner.number }
    private let owner: Descriptor
    let direction: Direction
    var isWatched = false

    /// Returns `nil` if the socket has another port than the connection, or if no descriptor is available.
    init?(of socket: Int32, port: Int, for direction: Direction) {
        guard let local = LentDescriptor(socket).localPort, Int(local) == port,
            let copy = try? LentDescriptor(socket).duplicate()
        else { return nil }
        self.direction = direction
        owner = copy
    }

    /// Restores the connection at libcurl's descriptor.
    func putBack(as socket: Int32) {
        do throws(SystemError) {
            try owner.standIn(for: socket)
        } catch {
            preconditionFailure("A descriptor that is open can be replaced: \(error.text).")
        }
    }

    /// Receives the available bytes. Returns their count, 0 at the end of the connection, or `nil` if there are none
    /// yet.
    func receive(into room: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int? {
        try owner.receiveNow(into: room)
    }

    /// Sends a part of a file, as far as the connection accepts it now. Returns the count, 0 if the file is shorter, or
    /// `nil` if nothing can be sent yet.
    func send(_ file: Int32, at offset: Int64, count: Int) throws(SystemError) -> Int? {
        try owner.sendNow(file, at: offset, count: count)
    }
}
