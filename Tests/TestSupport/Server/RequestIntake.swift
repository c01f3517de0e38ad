import LonghaulCore

/// Takes a request's body the way its reply wants it.
struct RequestIntake {
    enum Outcome {
        case complete
        /// The answer comes before the body's end.
        case early
        case cut
        case reset
    }

    private let hall: Hall
    private let stream: SocketStream
    private let head: RequestHead
    private let request: Int

    init(_ hall: Hall, _ stream: SocketStream, _ head: RequestHead, _ request: Int) {
        self.hall = hall
        self.stream = stream
        self.head = head
        self.request = request
    }

    func take(_ reply: Reply) throws(SocketStream.Ended) -> Outcome {
        let (limit, whenReached) = plan(reply.intake)
        if limit == 0, let whenReached, head.isChunked || head.bodyLength > 0 { return whenReached }
        if head.asksToContinue, reply.continues { try stream.write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
        var room = limit
        func takePiece(_ length: Int64) throws(SocketStream.Ended) -> Bool {
            var left = length
            while left > 0 {
                if room == 0 {
                    guard case .stall(_, let gate) = reply.intake else { return false }
                    hall.pass(gate)
                    room = .max
                }
                let got = try stream.read(atMost: min(left, room)) { bytes in
                    note(bytes)
                    reply.onBody?(bytes)
                }
                left -= got
                room -= got
            }
            return true
        }
        if head.isChunked {
            while true {
                guard let size = Int64(try stream.readLine().prefix { $0 != ";" }, radix: 16) else {
                    throw SocketStream.Ended()
                }
                if size == 0 { break }
                guard try takePiece(size) else { return whenReached ?? .complete }
                _ = try stream.readLine()
            }
            while try !stream.readLine().isEmpty {}
        } else {
            guard try takePiece(head.bodyLength) else { return whenReached ?? .complete }
        }
        hall.note(request) { $0.isBodyComplete = true }
        return .complete
    }

    private func plan(_ intake: Reply.Intake) -> (limit: Int64, whenReached: Outcome?) {
        switch intake {
        case .whole: (.max, nil)
        case .none: (0, .early)
        case .answer(let count): (count, .early)
        case .cut(let count): (count, .cut)
        case .reset(let count): (count, .reset)
        case .stall(let count, _): (count, nil)
        }
    }

    private func note(_ bytes: UnsafeRawBufferPointer) {
        hall.note(request) { request in
            request.bodyLength += Int64(bytes.count)
            request.bodyChecksum.add(bytes)
            let room = hall.keptBody - request.body.count
            if room > 0 { request.body.append(contentsOf: bytes.prefix(room)) }
        }
    }
}
