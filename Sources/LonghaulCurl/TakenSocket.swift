import CLinux
import Glibc
import LonghaulCore

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

    let descriptor: Int32
    let direction: Direction
    var isWatched = false

    /// `nil` when the socket is not the one that the connection's port says, or the system has no descriptor left.
    init?(of socket: Int32, port: Int, for direction: Direction) {
        guard let local = localPort(of: socket), Int(local) == port else { return nil }
        self.direction = direction
        descriptor = longhaul_duplicate(socket)
        guard descriptor >= 0 else { return nil }
    }

    /// Gives libcurl's descriptor its connection back.
    func putBack(as socket: Int32) {
        let code = longhaul_replace(socket, descriptor)
        precondition(code == 0, "A descriptor that is open can be replaced: \(systemText(-code)).")
    }

    func close() { Glibc.close(descriptor) }

    /// Receives what is there: a count, 0 at the end of the connection, or `nil` when nothing has come yet.
    func receive(into room: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int? {
        do throws(SystemError) {
            return try retrying { recv(descriptor, room.baseAddress, room.count, Int32(MSG_DONTWAIT)) }
        } catch {
            if error.number == EAGAIN { return nil }
            throw error
        }
    }

    /// Sends a part of a file as far as the connection takes it now: a count, 0 when the file is shorter, or `nil` when
    /// nothing can be sent yet.
    func send(_ file: Int32, at offset: Int64, count: Int) throws(SystemError) -> Int? {
        var position = offset
        while true {
            let sent = longhaul_send_file(descriptor, file, &position, count)
            switch -sent {
            case Int(EINTR): continue
            case Int(EAGAIN): return nil
            default: if sent < 0 { throw SystemError(number: Int32(-sent)) }
            }
            return sent
        }
    }
}
