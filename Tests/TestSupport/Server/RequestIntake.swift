import LonghaulCore

/// Reads a request's body as its reply requires.
struct RequestIntake {
    enum Outcome {
        case complete
        /// The response comes before the body's end.
        case early
        case cut
        case reset
    }

    private let hall: ServerState
    private let stream: any ExchangeStream
    private let request: Int

    init(_ hall: ServerState, _ stream: any ExchangeStream, _ request: Int) {
        self.hall = hall
        self.stream = stream
        self.request = request
    }

    func receive(_ reply: Reply) throws(Ended) -> Outcome {
        let (limit, whenReached) = plan(reply.intake)
        if limit == 0, let whenReached, stream.announcesBody { return whenReached }
        if stream.asksToContinue, reply.continues { try stream.sendInterim(100, []) }
        var room = limit
        while try stream.hasMoreBody() {
            if room == 0 {
                guard case .stall(_, let latch) = reply.intake else { return whenReached ?? .complete }
                hall.pass(latch)
                room = .max
            }
            room -= try stream.readBody(atMost: room) { bytes in
                record(bytes)
                reply.onBody?(bytes)
            }
        }
        hall.updateRequest(request) { $0.isBodyComplete = true }
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

    private func record(_ bytes: UnsafeRawBufferPointer) {
        hall.updateRequest(request) { request in
            request.bodyLength += Int64(bytes.count)
            request.bodyChecksum.add(bytes)
            let room = hall.keptBody - request.body.count
            if room > 0 { request.body.append(contentsOf: bytes.prefix(room)) }
        }
    }
}
