import LonghaulCore

/// Sends a reply's final head and body, faults included.
struct ResponseWriter {
    enum Outcome {
        case complete
        case cut
        case reset
    }

    private let hall: Hall
    private let stream: SocketStream
    private let reply: Reply
    private let request: ReceivedRequest
    private let answer: Answer

    init(_ hall: Hall, _ stream: SocketStream, _ reply: Reply, _ request: ReceivedRequest) {
        self.hall = hall
        self.stream = stream
        self.reply = reply
        self.request = request
        answer = Answer(reply, to: request)
    }

    /// Whether only the end of the connection ends the answer, or makes it wrong.
    var mustClose: Bool {
        switch reply.framing {
        case .contentLength, .chunked: reply.version == "HTTP/1.0"
        case .contentLengthOff, .chunkedWithoutEnd, .untilClose: true
        }
    }

    func send() throws(SocketStream.Ended) -> Outcome {
        hall.note(request.number) { $0.status = answer.status }
        try stream.write(Self.head(reply.version, answer.status, reason: reply.reason, fields()))
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
                    case .stall(_, let gate): hall.pass(gate)
                    }
                }
                guard sent < segment.length else { break }
                let untilFault = faults.first.map { $0.offset - position } ?? .max
                let count = min(segment.length - sent, untilFault, 1 << 16)
                try write(segment, sent..<sent + count)
                sent += count
                position += count
            }
        }
        if case .chunked = reply.framing { try stream.write(Array("0\r\n\r\n".utf8)) }
        return .complete
    }

    /// 204, 304 and answers to HEAD have none.
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
        case .chunked, .chunkedWithoutEnd: fields.append(HeaderField("Transfer-Encoding", "chunked"))
        case .untilClose: break
        }
        return fields
    }

    private func write(_ segment: Answer.Segment, _ range: Range<Int64>) throws(SocketStream.Ended) {
        var piece: [UInt8]
        switch segment {
        case .bytes(let bytes): piece = Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
        case .content(let content, let whole):
            piece = content.bytes(whole.lowerBound + range.lowerBound..<whole.lowerBound + range.upperBound)
        }
        switch reply.framing {
        case .chunked, .chunkedWithoutEnd:
            piece = Array("\(String(range.count, radix: 16))\r\n".utf8) + piece + [13, 10]
        case .contentLength, .contentLengthOff, .untilClose: break
        }
        try stream.write(piece)
        hall.note(request.number) { $0.responseBytes += Int64(range.count) }
    }

    static func head(_ version: String, _ status: Int, reason: String?, _ fields: [HeaderField]) -> [UInt8] {
        var text = "\(version) \(status) \(reason ?? usualReason(status))\r\n"
        for field in fields { text += "\(field.name): \(field.value)\r\n" }
        return Array((text + "\r\n").utf8)
    }

    private static func usualReason(_ status: Int) -> String {
        switch status {
        case 100: "Continue"
        case 102: "Processing"
        case 104: "Upload Resumption Supported"
        case 200: "OK"
        case 201: "Created"
        case 204: "No Content"
        case 206: "Partial Content"
        case 404: "Not Found"
        case 412: "Precondition Failed"
        case 416: "Range Not Satisfiable"
        case 503: "Service Unavailable"
        default: "Status \(status)"
        }
    }
}
