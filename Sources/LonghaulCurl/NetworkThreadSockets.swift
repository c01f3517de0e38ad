import CCurl
import LonghaulCore
import LonghaulSystem

// libcurl's callbacks to its thread.
extension NetworkThread {
    func closeSocket(_ socket: curl_socket_t) -> Int32 {
        afterwards.lastWords.collect(from: socket)
        afterwards.openSockets.remove(socket)
        noteDeadPeer(of: socket)
        return (try? LentDescriptor(socket).close()) == nil ? -1 : 0
    }

    /// Records a connection that the kernel ended because its peer was dead.
    func noteDeadPeer(of socket: Int32) {
        let connection = LentDescriptor(socket)
        if connection.wasGivenUp, let port = connection.localPort { afterwards.dead.add([port], at: now) }
    }
}
