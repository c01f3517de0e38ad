import LonghaulCore

/// The computed response to one request: the bytes for the wire, apart from faults.
struct Answer {
    enum Segment {
        case bytes([UInt8])
        case content(Content, Range<Int64>)

        var length: Int64 {
            switch self {
            case .bytes(let bytes): Int64(bytes.count)
            case .content(_, let range): Int64(range.count)
            }
        }

        func bytes(_ range: Range<Int64>) -> [UInt8] {
            switch self {
            case .bytes(let bytes): Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
            case .content(let content, let whole):
                content.bytes(whole.lowerBound + range.lowerBound..<whole.lowerBound + range.upperBound)
            }
        }
    }

    var status: Int
    var headers: [HeaderField] = []
    var body: [Segment] = []

    init(_ reply: Reply, to request: ReceivedRequest) {
        if let resource = reply.resource, reply.status == nil {
            self = Answer.conditional(resource, request)
        } else {
            status = reply.status ?? 200
            body = reply.resource.map { [.content($0.content, 0..<$0.content.length)] } ?? [.bytes(reply.body)]
            headers = reply.resource.map { Answer.validators($0) } ?? []
        }
        headers += reply.headers
    }

    var bodyLength: Int64 { body.reduce(0) { $0 + $1.length } }

    private init(_ status: Int, _ resource: Resource) {
        self.status = status
        headers = Answer.validators(resource)
    }

    private static func validators(_ resource: Resource) -> [HeaderField] {
        var headers: [HeaderField] = []
        if let etag = resource.etag { headers.append(HeaderField("ETag", etag)) }
        if let date = resource.lastModified { headers.append(HeaderField("Last-Modified", HTTPDate.text(date))) }
        if let type = resource.contentType, !resource.ranges.isMultipart {
            headers.append(HeaderField("Content-Type", type))
        }
        return headers
    }

    /// RFC 9110, section 13.2.2: the order in which conditions are evaluated.
    private static func conditional(_ resource: Resource, _ request: ReceivedRequest) -> Answer {
        let conditions = Conditions(resource, request)
        if resource.ranges.honoursPreconditions, !conditions.preconditionsHold { return Answer(412, resource) }
        if conditions.isNotModified { return Answer(304, resource) }
        let total = resource.content.length
        guard resource.ranges.honoursRange, request.method == "GET", let asked = request.range,
            !resource.ranges.honoursIfRange || conditions.ifRangeHolds
        else {
            var answer = Answer(200, resource)
            if resource.ranges.honoursRange { answer.headers.append(HeaderField("Accept-Ranges", "bytes")) }
            answer.body = [.content(resource.content, 0..<total)]
            return answer
        }
        guard let range = satisfiable(asked, total: total, longest: resource.ranges.longestRange) else {
            var answer = Answer(416, resource)
            if resource.ranges.statesTotalIn416 {
                answer.headers.append(HeaderField("Content-Range", "bytes */\(total)"))
            }
            return answer
        }
        return partial(resource, range)
    }

    private static func satisfiable(
        _ asked: (first: Int64?, last: Int64?), total: Int64, longest: Int64?
    ) -> Range<Int64>? {
        var range: Range<Int64>
        switch asked {
        case (let first?, let last?):
            guard first <= last, first < total else { return nil }
            range = first..<min(last + 1, total)
        case (let first?, nil):
            guard first < total else { return nil }
            range = first..<total
        case (nil, let suffix?):
            guard suffix > 0, total > 0 else { return nil }
            range = max(0, total - suffix)..<total
        case (nil, nil): return nil
        }
        if let longest, Int64(range.count) > longest { range = range.lowerBound..<range.lowerBound + longest }
        return range
    }

    private static func partial(_ resource: Resource, _ range: Range<Int64>) -> Answer {
        var answer = Answer(206, resource)
        let form = contentRange(resource.ranges.contentRange, range, total: resource.content.length)
        let shift = resource.ranges.bodyShift
        let segment = Segment.content(resource.content, range.lowerBound + shift..<range.upperBound + shift)
        guard resource.ranges.isMultipart else {
            if let form { answer.headers.append(HeaderField("Content-Range", form)) }
            answer.body = [segment]
            return answer
        }
        answer.headers.append(HeaderField("Content-Type", "multipart/byteranges; boundary=nasty"))
        let type = resource.contentType.map { "Content-Type: \($0)\r\n" } ?? ""
        let field = form.map { "Content-Range: \($0)\r\n" } ?? ""
        answer.body = [
            .bytes(Array("--nasty\r\n\(type)\(field)\r\n".utf8)), segment, .bytes(Array("\r\n--nasty--\r\n".utf8)),
        ]
        return answer
    }

    private static func contentRange(_ form: ContentRangeForm, _ range: Range<Int64>, total: Int64) -> String? {
        let first = range.lowerBound, last = range.upperBound - 1
        return switch form {
        case .right: "bytes \(first)-\(last)/\(total)"
        case .absent: nil
        case .shifted(let shift): "bytes \(first + shift)-\(last + shift)/\(total)"
        case .totalShifted(let shift): "bytes \(first)-\(last)/\(total + shift)"
        case .unknownTotal: "bytes \(first)-\(last)/*"
        case .text(let text): text
        }
    }
}
