// Double only: Apple has none of this.
/// The system's state of one task, which outlives the app's process.
struct CarriedTask: @unchecked Sendable {
    enum Kind: Sendable { case upload(URL), download, data }

    /// The events of a step.
    enum Callback: Sendable {
        case sent(Int64, total: Int64, expected: Int64)
        case resumed(Int64, expected: Int64)
        case wrote(Int64, total: Int64, expected: Int64)
        /// Final events, which are kept until they are delivered to a process.
        case data(Data), file(Data), complete(NSError?)
        /// Questions to a delegate: only sessions of the process ask.
        case response(HTTPURLResponse), redirect(HTTPURLResponse, URLRequest), challenge(isOfProxy: Bool)
        /// The question about a server's certificate.
        case trust

        var isFinal: Bool {
            switch self {
            case .sent, .resumed, .wrote: false
            case .data, .file, .complete, .response, .redirect, .challenge, .trust: true
            }
        }
    }

    /// What a session shares with the app's other requests.
    struct Sharing: Sendable {
        var usesStoredCredentials = true
        var storesCookies = true
        /// Whether data tasks are answered from the cache, and whether it stores their responses.
        var readsCache = false, fillsCache = false

        init() {}

        init(_ configuration: URLSessionConfiguration) {
            usesStoredCredentials = configuration.urlCredentialStorage != nil
            storesCookies = configuration.httpCookieStorage != nil
            fillsCache = configuration.urlCache != nil
            readsCache = fillsCache && configuration.requestCachePolicy == .useProtocolCachePolicy
        }
    }

    /// The app's hints about a task beside its request.
    struct Hints: Sendable {
        var earliestBeginDate: Date?
        var priority = URLSessionTask.defaultPriority
        var expectedToSend = NSURLSessionTransferSizeUnknown
        var expectedToReceive = NSURLSessionTransferSizeUnknown
    }

    /// The task number of its session, as apps see it.
    var number: Int
    /// The number of the task on the device, which is unique.
    var serial: Int
    var kind: Kind
    var request: URLRequest
    var state = URLSessionTask.State.suspended
    var description: String?
    /// The time set by the rate limiter, on the device's clock.
    var notBefore: TimeInterval = 0
    /// Whether it was created while the app was in the background.
    var isMadeBehind = false
    var hints = Hints()
    var begunAt: TimeInterval?
    /// Since when its server has been silent; `nil` before that.
    var silentSince: TimeInterval?
    var sent: Int64 = 0
    var received: Int64 = 0
    /// Whether the request of a download has reached the server.
    var isAsked = false
    var expectedToSend = NSURLSessionTransferSizeUnknown
    var response: HTTPURLResponse?
    var body = Data()

    /// For an upload: whether the server has announced that it keeps received bytes (104).
    var isKept = false
    /// Whether an upload continues with resume data, and has not queried its server's offset.
    var isToAsk = false
    /// Whether a download continues with resume data, and has not reported that.
    var isToReport = false
    /// Whether its session lives in the app's process, so that its bytes are in the app's temporary directory.
    var isOfProcess = false
    /// What its session shares with the app's other requests.
    var sharing = Sharing()
    /// The response about which the delegate decides, or has decided, before it counts.
    var pending: SimulatedNetwork.Answer?
    var isDeciding = false
    /// Redirects that were followed.
    var hops = 0
    /// Whether a redirect has changed the request to one without a body.
    var hasLostBody = false
    /// The error with which the system refuses the resume data of the task.
    var refusal: NSError?
    /// The modification date of an upload's file when the system first read it.
    var fileDate: Date?

    /// Whether there is resume data: for a download, a GET response with a validator; for an upload, a server that keeps received bytes.
    var canProduceResumeData: Bool {
        if case .upload = kind { return isKept && response == nil }
        guard received > 0, let response, (200..<300).contains(response.statusCode) else {
            return false
        }
        return response.allHeaderFields["ETag"] != nil
    }

    /// Reports the part of an upload's body that the server received before the upload was interrupted.
    func reportCutOff(_ network: SimulatedNetwork) {
        guard !isKept, case .upload(let file) = kind, response == nil, sent > 0, sent < expectedToSend,
            let content = try? Data(contentsOf: file)
        else { return }
        network.cutOff(request, content.prefix(Int(sent)))
    }

    /// Finds the file of an upload in a container that was moved.
    mutating func move(from old: String, to new: String) {
        guard case .upload(let file) = kind, file.path.hasPrefix(old + "/") else { return }
        kind = .upload(URL(fileURLWithPath: new + file.path.dropFirst(old.count)))
    }

    /// A summary for the log.
    var summary: String {
        let answer = response.map { ", answered \($0.statusCode)" } ?? ""
        return "\(request.httpMethod ?? "") \(request.url?.path ?? ""), sent \(sent), received \(received)\(answer)"
    }

    var hasMoved: Bool { sent > 0 || received > 0 || response != nil }

    /// Returns whether the task may use the network, according to its request and its session: the stricter of the two counts.
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

    /// Sends one portion of an upload. `nil` if no bytes were sent.
    mutating func send(_ portion: Int64, _ network: inout SimulatedNetwork) -> [Callback]? {
        guard case .upload(let file) = kind else { return nil }
        guard let content = try? Data(contentsOf: file) else {
            return finish(with: NSError(domain: NSURLErrorDomain, code: URLError.Code.fileDoesNotExist.rawValue))
        }
        let body = hasLostBody ? Data() : content
        if isToAsk, let error = proceed(with: file, network) { return finish(with: error) }
        let length = Int64(body.count)
        fileDate = fileDate ?? Self.date(of: file)
        var news: [Callback] = []
        if sent < length || expectedToSend < 0 {
            expectedToSend = length
            let count = min(portion, length - sent)
            sent += count
            network.bytesSent += count
            // The server announces it when it has the headers, before it has the body.
            isKept = isKept || network.keepsUploads
            if count > 0 { news.append(.sent(count, total: sent, expected: length)) }
            if network.respondsEarly, response == nil, let answer = network.server(request, Data()) { receive(answer) }
            if sent < length { return news }
            network.record(request, body, serial)
        }
        guard let answer = pending ?? network.server(request, body) else { return news.isEmpty ? nil : news }
        if pending == nil, let question = question(about: answer, network) { return news + question }
        receive(answer)
        storeCookie(of: answer, &network)
        if isOfProcess, let response { news.append(.response(response)) }
        if !answer.body.isEmpty { news.append(.data(answer.body)) }
        return news + finish(with: nil)
    }

    /// Receives one portion of a download. `nil` if no bytes were received.
    mutating func fetch(_ portion: Int64, _ network: inout SimulatedNetwork) -> [Callback]? {
        if response == nil {
            let cached = cached(in: network)
            if !isAsked, cached == nil { network.record(request, Data(), serial) }
            isAsked = true
            guard let answer = pending ?? cached ?? network.server(request, Data()) else { return nil }
            if pending == nil, let question = question(about: answer, network) { return question }
            receive(answer)
            storeCookie(of: answer, &network)
            store(answer, in: &network)
            body = answer.body
            if case .data = kind, let response {
                isDeciding = true
                return [.response(response)]
            }
        }
        let length = Int64(body.count)
        var news = isToReport ? [Callback.resumed(received, expected: length)] : []
        isToReport = false
        let count = min(portion, length - received)
        received += count
        network.bytesReceived += count
        if case .data = kind {
            if count > 0 { news.append(.data(Data(body.dropFirst(Int(received - count)).prefix(Int(count))))) }
            return received < length ? news : news + finish(with: nil)
        }
        news.append(.wrote(count, total: received, expected: length))
        return received < length ? news : news + [.file(body)] + finish(with: nil)
    }

    private func storeCookie(of answer: SimulatedNetwork.Answer, _ network: inout SimulatedNetwork) {
        if sharing.storesCookies { network.cookie = answer.headers["Set-Cookie"] ?? network.cookie }
    }

    /// The cached response of a data task; `nil` if the server has to respond.
    private func cached(in network: SimulatedNetwork) -> SimulatedNetwork.Answer? {
        guard case .data = kind, sharing.readsCache, request.httpMethod == "GET" else { return nil }
        return request.url.flatMap { network.cache[$0] }
    }

    private func store(_ answer: SimulatedNetwork.Answer, in network: inout SimulatedNetwork) {
        guard case .data = kind, sharing.fillsCache, request.httpMethod == "GET", answer.status == 200,
            let url = request.url
        else { return }
        network.cache[url] = answer
    }

    /// The system requests the rest automatically, and then delivers the whole file.
    mutating func answerWithTheRest() {
        isToReport = true
        guard let url = response?.url, var headers = response?.allHeaderFields as? [String: String] else { return }
        headers["Content-Range"] = "bytes \(received)-\(body.count - 1)/\(body.count)"
        headers["Content-Length"] = "\(Int64(body.count) - received)"
        response = HTTPURLResponse(url: url, statusCode: 206, httpVersion: "HTTP/1.1", headerFields: headers)
    }

    /// A changed file is an error; if the server has forgotten the upload, it restarts.
    private mutating func proceed(with file: URL, _ network: SimulatedNetwork) -> NSError? {
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

    /// Whether a part of an upload's body is still to be sent.
    var isSending: Bool {
        if case .upload = kind { sent < expectedToSend } else { false }
    }

    /// Discards the bytes sent so far.
    mutating func beginAnew() {
        (sent, expectedToSend, isKept, isAsked) = (0, NSURLSessionTransferSizeUnknown, false, false)
        response = nil
    }

    private mutating func receive(_ answer: SimulatedNetwork.Answer) {
        var headers = answer.headers
        if headers["Content-Length"] == nil { headers["Content-Length"] = "\(answer.body.count)" }
        guard let url = request.url else { return }
        if let method = answer.redirectedAs { request.httpMethod = method }
        pending = nil
        response = HTTPURLResponse(
            url: url, statusCode: answer.status, httpVersion: "HTTP/1.1", headerFields: headers)
    }

    mutating func finish(with error: NSError?) -> [Callback] {
        state = .completed
        return [.complete(error)]
    }
}

/// The network to the servers, and their requests.
public struct SimulatedNetwork: Sendable {
    /// A server's response.
    public struct Answer: Sendable {
        /// The status.
        public var status: Int
        /// The headers.
        public var headers: [String: String]
        /// The body.
        public var body: Data
        /// The method after a redirect that the system followed automatically.
        public var redirectedAs: String?

        /// Creates a response.
        public init(_ status: Int, _ headers: [String: String] = [:], _ body: Data = Data()) {
            self.status = status
            self.headers = headers
            self.body = body
        }
    }

    /// `nil`: there is no response yet.
    public typealias Server = @Sendable (URLRequest, Data) -> Answer?

    /// Whether there is a network.
    public var isOnline = true
    /// Whether it is cellular, expensive, or constrained.
    public var isCellular = false, isExpensive = false, isConstrained = false
    /// How many bytes one step transfers per task.
    public var portion: Int64 = 64 << 10
    /// Whether servers respond to an upload before they have its body (RFC 9110, section 10.1.1).
    public var respondsEarly = false
    /// Whether servers keep the received bytes of an upload, and report its URL (draft-ietf-httpbis-resumable-upload).
    /// A server for which this is turned off has forgotten the bytes.
    public var keepsUploads = false
    /// The cookie that a server has set, in the store that the app's sessions share.
    public internal(set) var cookie: String?
    /// The responses in the cache that the app's sessions share.
    public internal(set) var cache: [URL: Answer] = [:]
    /// The header with which the system answers challenges by default, from the user's keychain.
    public var storedCredential: String?
    /// The header with which the system answers challenges of its proxy by default, from the settings of the network.
    public var proxyCredential: String?
    /// The server.
    public var server: Server = { _, _ in Answer(404) }
    /// Called with the received part of an interrupted body.
    public var cutOff: @Sendable (URLRequest, Data) -> Void = { _, _ in }
    /// Complete requests with their bodies, and the device's numbers of their tasks.
    public private(set) var requests: [(request: URLRequest, body: Data, task: Int)] = []
    /// Bytes of bodies sent by the device, including wasted ones.
    public internal(set) var bytesSent: Int64 = 0
    /// Bytes of responses received.
    public internal(set) var bytesReceived: Int64 = 0

    mutating func record(_ request: URLRequest, _ body: Data, _ task: Int) { requests.append((request, body, task)) }
}
