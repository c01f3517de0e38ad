import Glibc
import LonghaulCore

/// Sends a reply's final headers and body, including faults.
struct ResponseWriter {
    enum Outcome {
        case complete
        case cut
        case reset
    }

    private let hall: ServerState
    private let stream: any ExchangeStream
    private let reply: Reply
    private let request: ReceivedRequest
    private let answer: Answer

    init(_ hall: ServerState, _ stream: any ExchangeStream, _ reply: Reply, _ request: ReceivedRequest) {
        self.hall = hall
        self.stream = stream
        self.reply = reply
        self.request = request
        answer = Answer(reply, to: request)
    }

    /// Whether the connection must be closed: to end the response, or because the response is invalid.
    var mustClose: Bool {
        switch reply.framing {
        case .contentLength, .chunked: reply.version == "HTTP/1.0"
        case .contentLengthOff, .chunkedWithoutEnd, .untilClose: true
        }
    }

    func send() throws(Ended) -> Outcome {
        hall.updateRequest(request.number) { $0.status = answer.status }
        let head = ResponseHead(
            version: reply.version, status: answer.status, reason: reply.reason, fields: fields(),
            framing: reply.framing)
        try stream.sendHead(head, hasBody: hasBody)
        guard hasBody else { return .complete }
        var faults = reply.faults.sorted { $0.offset < $1.offset }[...]
        var position: Int64 = 0
        for segment in answer.body {
            var sent: Int64 = 0
            while true {
                while let fault = faults.first, fault.offset <= position {
                    faults.removeFirst()
                    switch fault {
                    case .cut: return .cut
                    case .reset: return .reset
                    case .stall(_, let latch): hall.pass(latch)
                    }
                }
                guard sent < segment.length else { break }
                let untilFault = faults.first.map { $0.offset - position } ?? .max
                let count = min(segment.length - sent, untilFault, 1 << 16)
                try stream.sendBody(segment.bytes(sent..<sent + count))
                hall.updateRequest(request.number) { $0.responseBytes += count }
                if let rate = reply.rate { usleep(UInt32(count * 1_000_000 / rate)) }
                sent += count
                position += count
            }
        }
        try stream.endBody()
        return .complete
    }

    /// 204, 304, and responses to HEAD have none.
    private var hasBody: Bool { request.method != "HEAD" && answer.status != 204 && answer.status != 304 }

    private func fields() -> [HeaderField] {
        var fields: [HeaderField] = []
        switch reply.date {
        case .now: fields.append(HeaderField("Date", HTTPDate.text(HTTPDate.now)))
        case .fixed(let date): fields.append(HeaderField("Date", HTTPDate.text(date)))
        case .absent: break
        }
        fields += answer.headers
        guard answer.status != 204, answer.status != 304 else { return fields }
        switch reply.framing {
        case .contentLength: fields.append(HeaderField("Content-Length", "\(answer.bodyLength)"))
        case .contentLengthOff(let difference):
            fields.append(HeaderField("Content-Length", "\(answer.bodyLength + difference)"))
        case .chunked, .chunkedWithoutEnd, .untilClose: break
        }
        return fields
    }
}
