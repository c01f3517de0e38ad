import CCurl
import LonghaulCore
import LonghaulSystem

// libcurl's callbacks to its thread.
extension NetworkThread {
    func closeSocket(_ socket: curl_socket_t) -> Int32 {
        deferred.unreadResponses.collect(from: socket)
        deferred.openSockets.remove(socket)
        recordDeadPeer(of: socket)
        return (try? LentDescriptor(socket).close()) == nil ? -1 : 0
    }

    /// Records a connection that the kernel ended because its peer was dead.
    func recordDeadPeer(of socket: Int32) {
        let connection = LentDescriptor(socket)
        if connection.wasGivenUp, let port = connection.localPort { deferred.dead.add([port], at: now) }
    }
}
