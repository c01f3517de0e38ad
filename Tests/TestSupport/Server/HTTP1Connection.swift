import Glibc
import LonghaulCore

/// Serves one HTTP/1.1 connection, request after request, on a separate thread.
struct HTTP1Connection {
    private let hall: ServerState
    private let channel: Channel
    private let stream: SocketStream
    private let number: Int

    init(_ hall: ServerState, _ channel: Channel, number: Int) {
        self.hall = hall
        self.channel = channel
        self.number = number
        stream = SocketStream(channel)
    }

    func serve() {
        while let bytes = try? stream.readHead(), let head = RequestHead(bytes) {
            let request = hall.begin(head, connection: number)
            let reply = hall.reply(to: request)
            var script = ExchangeScript(hall, HTTP1Exchange(stream, head), request, reply)
            let end = (try? script.run()) ?? .hangUp
            hall.updateRequest(request.number) { $0.isFinished = true }
            switch end {
            case .nextRequest:
                if head.requestsClose { return channel.finish() }
                guard let stray = reply.stray else { continue }
                stray.latch.pass()
                guard (try? stream.write(stray.bytes)) != nil else { return }
                stray.latch.pass()
            case .finish: return channel.finish()
            case .hangUp, .refuseRest: return
            case .reset: return channel.prepareReset()
            }
        }
    }
}

/// One request and its response on an HTTP/1.1 connection.
final class HTTP1Exchange: ExchangeStream {
    private let stream: SocketStream
    private let head: RequestHead
    /// The remaining bytes of the body, or of its current chunk.
    private var left: Int64
    private var isBodyOver: Bool
    private var framing = Reply.Framing.contentLength

    init(_ stream: SocketStream, _ head: RequestHead) {
        self.stream = stream
        self.head = head
        left = head.isChunked ? 0 : head.bodyLength
        isBodyOver = !head.isChunked && left == 0
    }

    var announcesBody: Bool { head.isChunked || head.bodyLength > 0 }
    var asksToContinue: Bool { head.asksToContinue }

    func hasMoreBody() throws(Ended) -> Bool {
        guard left == 0, !isBodyOver else { return !isBodyOver }
        guard head.isChunked else {
            isBodyOver = true
            return false
        }
        guard let size = Int64(try stream.readLine().prefix { $0 != ";" }, radix: 16) else { throw Ended() }
        left = size
        if size == 0 {
            while try !stream.readLine().isEmpty {}
            isBodyOver = true
        }
        return size > 0
    }

    func readBody(atMost limit: Int64, _ body: (UnsafeRawBufferPointer) -> Void) throws(Ended) -> Int64 {
        let count = try stream.read(atMost: min(limit, left), body)
        left -= count
        if left == 0, head.isChunked { _ = try stream.readLine() }
        return count
    }

    func sendInterim(_ status: Int, _ fields: [HeaderField]) throws(Ended) {
        try stream.write(Self.head("HTTP/1.1", status, reason: nil, fields))
    }

    func sendHead(_ head: ResponseHead, hasBody: Bool) throws(Ended) {
        var fields = head.fields
        framing = head.framing
        if head.status != 204, head.status != 304 {
            switch framing {
            case .contentLength, .contentLengthOff: break
            case .chunked, .chunkedWithoutEnd: fields.append(HeaderField("Transfer-Encoding", "chunked"))
            case .untilClose: break
            }
        }
        try stream.write(Self.head(head.version, head.status, reason: head.reason, fields))
    }

    func sendBody(_ bytes: [UInt8]) throws(Ended) {
        switch framing {
        case .chunked, .chunkedWithoutEnd:
            try stream.write(Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [13, 10])
        case .contentLength, .contentLengthOff, .untilClose: try stream.write(bytes)
        }
    }

    func endBody() throws(Ended) {
        if case .chunked = framing { try stream.write(Array("0\r\n\r\n".utf8)) }
    }

    func sendRaw(_ bytes: [UInt8]) throws(Ended) { try stream.write(bytes) }

    private static func head(_ version: String, _ status: Int, reason: String?, _ fields: [HeaderField]) -> [UInt8] {
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
