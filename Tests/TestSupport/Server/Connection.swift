import Glibc
import LonghaulCore

/// Serves one connection, request after request, on a thread of its own.
struct Connection {
    private let hall: Hall
    private let stream: SocketStream
    private let number: Int

    init(_ hall: Hall, socket: Int32, number: Int) {
        self.hall = hall
        self.number = number
        stream = SocketStream(socket)
    }

    func serve() {
        defer { hall.dismiss(stream.descriptor) }
        while let bytes = try? stream.readHead(), let head = RequestHead(bytes) {
            let request = hall.begin(head, connection: number)
            let next = (try? exchange(head, request)) ?? .hangUp
            hall.note(request.number) { $0.isFinished = true }
            switch next {
            case .nextRequest: continue
            case .finish: return stream.finish()
            case .hangUp: return
            case .reset: return stream.prepareReset()
            }
        }
    }

    private enum Next {
        case nextRequest
        /// An orderly end.
        case finish
        /// Closes at once; a reset if the peer is still sending.
        case hangUp
        case reset
    }

    private func exchange(_ head: RequestHead, _ request: ReceivedRequest) throws(SocketStream.Ended) -> Next {
        var reply = hall.reply(to: request)
        try sendInterims(reply, .beforeBody)
        let intake = try RequestIntake(hall, stream, head, request.number).take(reply)
        if let afterBody = reply.afterBody {
            reply = afterBody(hall.state.value.requests[request.number])
        }
        switch intake {
        case .cut: return .hangUp
        case .reset: return .reset
        case .complete, .early: break
        }
        if let gate = reply.gate { hall.pass(gate) }
        switch reply.ending {
        case .closesUnanswered: return .finish
        case .resetsUnanswered: return .reset
        case .keepsAlive, .closes, .resets: break
        }
        try sendInterims(reply, .beforeAnswer)
        if let raw = reply.raw {
            try stream.write(raw)
            return .finish
        }
        let writer = ResponseWriter(hall, stream, reply, request)
        switch try writer.send() {
        case .cut: return .finish
        case .reset: return .reset
        case .complete: break
        }
        if reply.ending == .resets { return .reset }
        if case .early = intake, reply.ending != .closes { return .hangUp }
        return reply.ending == .closes || writer.mustClose || head.asksToClose ? .finish : .nextRequest
    }

    private func sendInterims(_ reply: Reply, _ moment: Reply.Interim.Moment) throws(SocketStream.Ended) {
        for interim in reply.interims where interim.moment == moment {
            let head = ResponseWriter.head("HTTP/1.1", interim.status, reason: nil, interim.headers)
            try stream.write(head)
        }
    }
}
