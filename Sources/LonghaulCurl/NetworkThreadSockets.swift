import CCurl
import LonghaulCore
import LonghaulSystem

// libcurl's callbacks to its thread.
extension NetworkThread {
    func closeSocket(_ socket: curl_socket_t) -> Int32 {
        deferred.unreadResponses.collect(from: socket)
        deferred.openSockets[socket] = nil
        deferred.idleSockets.remove(socket)
        recordDeadPeer(of: socket)
        return (try? LentDescriptor(socket).close()) == nil ? -1 : 0
    }

    /// Aborts idle connections with bytes that no request is waiting for. libcurl 7.88, before it reuses a connection, would take them
    /// for the response to the next request (RFC 9112, section 9.2).
    func abortUncleanConnections() {
        guard !deferred.idleSockets.isEmpty else { return }
        let sockets = Array(deferred.idleSockets)
        let readiness = PollSet.wait(sockets.map { ($0, .readable) }, milliseconds: 0)
        for (socket, ready) in zip(sockets, readiness) where !ready.isEmpty {
            deferred.idleSockets.remove(socket)
            LentDescriptor(socket).abort()
        }
    }

    /// Records a connection that the kernel ended because its peer was dead.
    func recordDeadPeer(of socket: Int32) {
        let connection = LentDescriptor(socket)
        if connection.wasGivenUp, let port = connection.localPort { deferred.dead.add([port], at: now) }
    }
}
