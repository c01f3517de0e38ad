import CCurl
import LonghaulCore
import LonghaulSystem

// What libcurl tells its thread.
extension NetworkThread {
    func closeSocket(_ socket: curl_socket_t) -> Int32 {
        afterwards.lastWords.collect(from: socket)
        multis.sockets.remove(socket)
        return (try? LentDescriptor(socket).close()) == nil ? -1 : 0
    }
}
