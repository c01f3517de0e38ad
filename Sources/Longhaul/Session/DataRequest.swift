import LonghaulFiles

/// A small request whose answer is wanted: for ``TransferSession/data(for:)``.
public struct DataRequest: Equatable, Sendable {
    /// The absolute `http` or `https` URL.
    public var url: String
    /// The HTTP method.
    public var method: String
    /// Fields added to the request.
    public var headers: [HeaderField]
    /// The body; kept in memory and with the session.
    public var body: [UInt8]
    /// For how long an answer that came while nobody waited is given to who asks next. Default an hour: a later caller
    /// wants news.
    public var answerLifetime: Duration

    /// Describes a request.
    public init(
        _ url: String, method: String = "GET", headers: [HeaderField] = [], body: [UInt8] = [],
        answerLifetime: Duration = .seconds(3_600)
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        self.body = body
        self.answerLifetime = answerLifetime
    }

    /// What makes two requests identical: method, URL, header fields and body, in a digest that tells none of them. The
    /// transfer that stands for the request has it as its key, so that an event can be told to be its answer:
    ///
    /// ```swift
    /// if event.transfer?.key == request.key { … }
    /// ```
    public var key: String {
        var writer = WireWriter()
        writer.text(method, at: 1)
        writer.text(url, at: 2)
        writer.messages(headers, at: 3)
        writer.data(body, at: 4)
        return "longhaul.data:" + WholeDigest.sha256(writer.bytes).hexText
    }
}
