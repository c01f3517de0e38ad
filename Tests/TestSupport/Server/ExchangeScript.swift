import LonghaulCore

/// Handles one request as its reply says, right or wrong.
struct ExchangeScript {
    private let hall: ServerState
    private let stream: any ExchangeStream
    private let request: ReceivedRequest
    private var reply: Reply

    init(_ hall: ServerState, _ stream: any ExchangeStream, _ request: ReceivedRequest, _ reply: Reply) {
        self.hall = hall
        self.stream = stream
        self.request = request
        self.reply = reply
    }

    mutating func run() throws(Ended) -> ExchangeEnd {
        try sendInterims(.beforeBody)
        let intake = try RequestIntake(hall, stream, request.number).receive(reply)
        if let afterBody = reply.afterBody {
            reply = afterBody(hall.state.value.requests[request.number])
        }
        switch intake {
        case .cut: return .hangUp
        case .reset: return .reset
        case .complete, .early: break
        }
        if let latch = reply.latch { hall.pass(latch) }
        switch reply.ending {
        case .closesUnanswered: return .finish
        case .resetsUnanswered: return .reset
        case .keepsAlive, .closes, .resets: break
        }
        try sendInterims(.beforeAnswer)
        if let raw = reply.raw {
            try stream.sendRaw(raw)
            return .finish
        }
        let writer = ResponseWriter(hall, stream, reply, request)
        switch try writer.send() {
        case .cut: return .finish
        case .reset: return .reset
        case .complete: break
        }
        if reply.ending == .resets { return .reset }
        if case .early = intake, reply.ending != .closes { return .refuseRest }
        return reply.ending == .closes || writer.mustClose ? .finish : .nextRequest
    }

    private func sendInterims(_ moment: Reply.Interim.Moment) throws(Ended) {
        for interim in reply.interims where interim.moment == moment {
            try stream.sendInterim(interim.status, interim.headers)
        }
    }
}
