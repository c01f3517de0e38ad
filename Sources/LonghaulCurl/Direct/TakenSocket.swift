import LonghaulCore
import LonghaulSystem

/// A descriptor of our own for a connection of libcurl, whose handle rests while the engine moves the body itself.
///
/// libcurl keeps its descriptor and believes in its connection: it goes on when the engine gives the rest of a body
/// back, and it closes the connection at the transfer's end. While the engine receives, libcurl's descriptor leads to
/// a socket on which nothing ever comes.
struct TakenSocket {
    enum Direction {
        case receiving
        case sending
    }

    var descriptor: Int32 { owner.number }
    private let owner: Descriptor
    let direction: Direction
    var isWatched = false

    /// `nil` when the socket is not the one that the connection's port says, or the system has no descriptor left.
    init?(of socket: Int32, port: Int, for direction: Direction) {
        guard let local = LentDescriptor(socket).localPort, Int(local) == port,
            let copy = try? LentDescriptor(socket).duplicate()
        else { return nil }
        self.direction = direction
        owner = copy
    }

    /// Gives libcurl's descriptor its connection back.
    func putBack(as socket: Int32) {
        do throws(SystemError) {
            try owner.standIn(for: socket)
        } catch {
            preconditionFailure("A descriptor that is open can be replaced: \(error.text).")
        }
    }

    /// Receives what is there: a count, 0 at the end of the connection, or `nil` when nothing has come yet.
    func receive(into room: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int? {
        try owner.receiveNow(into: room)
    }

    /// Sends a part of a file as far as the connection takes it now: a count, 0 when the file is shorter, or `nil` when
    /// nothing can be sent yet.
    func send(_ file: Int32, at offset: Int64, count: Int) throws(SystemError) -> Int? {
        try owner.sendNow(file, at: offset, count: count)
    }
}
