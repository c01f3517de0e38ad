/// What the system keeps of one task; it outlives the app's process.
struct CarriedTask: @unchecked Sendable {
    enum Kind: Sendable { case upload(URL), download }

    /// What a step has to tell the app.
    enum News: Sendable {
        case sent(Int64, total: Int64, expected: Int64)
        case wrote(Int64, total: Int64, expected: Int64)
        /// Finals: they are kept until a process has heard them.
        case data(Data), file(Data), complete(NSError?)

        var isFinal: Bool {
            switch self {
            case .sent, .wrote: false
            case .data, .file, .complete: true
            }
        }
    }

    /// What the app says of a task beside its request.
    struct Hints: Sendable {
        var earliestBeginDate: Date?
        var priority = URLSessionTask.defaultPriority
        var expectedToSend = NSURLSessionTransferSizeUnknown
        var expectedToReceive = NSURLSessionTransferSizeUnknown
    }

    /// Counted by its session, as apps see it.
    var number: Int
    /// Counted by the device: no two tasks of it have the same.
    var serial: Int
    var kind: Kind
    var request: URLRequest
    var state = URLSessionTask.State.suspended
    var description: String?
    /// The rate limiter's date, on the device's clock.
    var notBefore: TimeInterval = 0
    /// Made while the app was not in front.
    var isMadeBehind = false
    var hints = Hints()
    var begunAt: TimeInterval?
    var sent: Int64 = 0
    var received: Int64 = 0
    /// The question of a download has reached the server.
    var isAsked = false
    var expectedToSend = NSURLSessionTransferSizeUnknown
    var response: HTTPURLResponse?
    var body = Data()

    /// Of an upload: the server has said that it keeps what arrives (104).
    var isKept = false
    /// An upload that goes on by resume data, and has not asked its server how much it has.
    var isToAsk = false
    /// How an upload's file was when the system read it first.
    var fileDate: Date?

    /// What resume data takes: of a download a GET that was answered with a validator, of an upload a server that keeps what arrives.
    var canProduceResumeData: Bool {
        if case .upload = kind { return isKept && response == nil }
        guard received > 0, let response, (200..<300).contains(response.statusCode) else {
            return false
        }
        return response.allHeaderFields["ETag"] != nil
    }

    /// What of an upload's body is at the server, which does not get the rest.
    func tellCutOff(_ network: SimulatedNetwork) {
        guard !isKept, case .upload(let file) = kind, response == nil, sent > 0, sent < expectedToSend,
            let content = try? Data(contentsOf: file)
        else { return }
        network.cutOff(request, content.prefix(Int(sent)))
    }

    /// For the diary.
    var summary: String {
        let answer = response.map { ", answered \($0.statusCode)" } ?? ""
        return "\(request.httpMethod ?? "") \(request.url?.path ?? ""), sent \(sent), received \(received)\(answer)"
    }

    var hasMoved: Bool { sent > 0 || received > 0 || response != nil }

    /// Whether the network is one that the task may use, by its request and its session: the stricter of the two counts.
    func isAllowed(on network: SimulatedNetwork, _ session: URLSessionConfiguration?) -> Bool {
        guard network.isOnline else { return false }
        let (cellular, expensive, constrained) =
            session.map {
                ($0.allowsCellularAccess, $0.allowsExpensiveNetworkAccess, $0.allowsConstrainedNetworkAccess)
            } ?? (true, true, true)
        return (!network.isCellular || cellular && request.allowsCellularAccess)
            && (!network.isExpensive || expensive && request.allowsExpensiveNetworkAccess)
            && (!network.isConstrained || constrained && request.allowsConstrainedNetworkAccess)
    }

    /// Moves one portion of an upload. `nil` when nothing moved.
    mutating func send(_ portion: Int64, _ network: inout SimulatedNetwork) -> [News]? {
        guard case .upload(let file) = kind else { return nil }
        guard let content = try? Data(contentsOf: file) else {
            return finish(with: NSError(domain: NSURLErrorDomain, code: URLError.Code.fileDoesNotExist.rawValue))
        }
        if isToAsk, let error = goOn(with: file, network) { return finish(with: error) }
        let length = Int64(content.count)
        fileDate = fileDate ?? Self.date(of: file)
        var news: [News] = []
        if sent < length || expectedToSend < 0 {
            expectedToSend = length
            let count = min(portion, length - sent)
            sent += count
            network.bytesSent += count
            // The server says so when it has the fields, and before it has the body.
            isKept = isKept || network.keepsUploads
            if count > 0 { news.append(.sent(count, total: sent, expected: length)) }
            if sent < length { return news }
            network.note(request, content, serial)
        }
        guard let answer = network.server(request, content) else { return news.isEmpty ? nil : news }
        take(answer)
        if !answer.body.isEmpty { news.append(.data(answer.body)) }
        return news + finish(with: nil)
    }

    /// Moves one portion of a download. `nil` when nothing moved.
    mutating func fetch(_ portion: Int64, _ network: inout SimulatedNetwork) -> [News]? {
        if response == nil {
            if !isAsked { network.note(request, Data(), serial) }
            isAsked = true
            guard let answer = network.server(request, Data()) else { return nil }
            take(answer)
            body = answer.body
        }
        let length = Int64(body.count)
        let count = min(portion, length - received)
        received += count
        network.bytesReceived += count
        let news = [News.wrote(count, total: received, expected: length)]
        return received < length ? news : news + [.file(body)] + finish(with: nil)
    }

    /// The system asks for the rest by itself, and what it then hands over is the whole file.
    mutating func answerWithTheRest() {
        guard let url = response?.url, var headers = response?.allHeaderFields as? [String: String] else { return }
        headers["Content-Range"] = "bytes \(received)-\(body.count - 1)/\(body.count)"
        headers["Content-Length"] = "\(Int64(body.count) - received)"
        response = HTTPURLResponse(url: url, statusCode: 206, httpVersion: "HTTP/1.1", headerFields: headers)
    }

    /// A file that is another one is an error; what the server does not know any more begins anew.
    private mutating func goOn(with file: URL, _ network: SimulatedNetwork) -> NSError? {
        isToAsk = false
        guard fileDate == Self.date(of: file) else {
            return NSError(domain: NSURLErrorDomain, code: URLError.Code.cannotOpenFile.rawValue)
        }
        if !network.keepsUploads { beginAnew() }
        return nil
    }

    private static func date(of file: URL) -> Date? {
        (try? FileManager.default.attributesOfItem(atPath: file.path))?[.modificationDate] as? Date
    }

    /// What left before counts for nothing.
    mutating func beginAnew() {
        (sent, expectedToSend, isKept) = (0, NSURLSessionTransferSizeUnknown, false)
    }

    private mutating func take(_ answer: SimulatedNetwork.Answer) {
        var headers = answer.headers
        if headers["Content-Length"] == nil { headers["Content-Length"] = "\(answer.body.count)" }
        guard let url = request.url else { return }
        if let method = answer.redirectedAs { request.httpMethod = method }
        response = HTTPURLResponse(
            url: url, statusCode: answer.status, httpVersion: "HTTP/1.1", headerFields: headers)
    }

    private mutating func finish(with error: NSError?) -> [News] {
        state = .completed
        return [.complete(error)]
    }
}

/// The way to the servers, and what they were asked.
public struct SimulatedNetwork: Sendable {
    /// What a server answers.
    public struct Answer: Sendable {
        /// The status.
        public var status: Int
        /// The fields.
        public var headers: [String: String]
        /// The body.
        public var body: Data
        /// The method after a redirect that the system followed by itself.
        public var redirectedAs: String?

        /// Makes an answer.
        public init(_ status: Int, _ headers: [String: String] = [:], _ body: Data = Data()) {
            self.status = status
            self.headers = headers
            self.body = body
        }
    }

    /// `nil`: it does not answer yet.
    public typealias Server = @Sendable (URLRequest, Data) -> Answer?

    /// Whether there is a network.
    public var isOnline = true
    /// Whether it goes over the modem, costs money, or should be used little.
    public var isCellular = false, isExpensive = false, isConstrained = false
    /// How many bytes of a task one step moves.
    public var portion: Int64 = 64 << 10
    /// Whether servers keep what arrives of an upload, and say where (draft-ietf-httpbis-resumable-upload). One that does not any more
    /// has forgotten what it kept.
    public var keepsUploads = false
    /// The server.
    public var server: Server = { _, _ in Answer(404) }
    /// Told of what had arrived of a body that was cut off.
    public var cutOff: @Sendable (URLRequest, Data) -> Void = { _, _ in }
    /// Requests that arrived whole, with their bodies, and the tasks that they belong to, as the device counts them.
    public private(set) var requests: [(request: URLRequest, body: Data, task: Int)] = []
    /// Bytes of bodies that left the device, those included that left in vain.
    public internal(set) var bytesSent: Int64 = 0
    /// Bytes of answers that arrived.
    public internal(set) var bytesReceived: Int64 = 0

    mutating func note(_ request: URLRequest, _ body: Data, _ task: Int) { requests.append((request, body, task)) }
}
