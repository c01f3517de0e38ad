import LonghaulCore
import Synchronization

/// All servers of a ``TestWorld``. They give the responses that the test has set and record the requests. Nothing leaves the process.
public final class TestServer: Sendable {
    private struct Route {
        var url: String
        var method: String?
        /// The remaining responses, of which the last one repeats.
        var answers: ArraySlice<TestAnswer>
    }

    private struct State {
        var routes: [Route] = []
        var requests: [TestRequest] = []
        /// Functions that release the held responses.
        var held: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    init() {}

    /// Sets the responses to requests for a URL, in turn. The last one repeats. The call replaces earlier responses for the URL.
    /// Without a `method`, the responses are for every method.
    ///
    /// A request without a response fails with `internalFault`, and the failure's sentence names the request.
    public func answer(_ url: String, method: String? = nil, with answers: TestAnswer...) {
        state.withLock { state in
            state.routes.removeAll { $0.url == url && $0.method == method }
            state.routes.append(Route(url: url, method: method, answers: answers[...]))
        }
    }

    /// Every request that arrived completely, in order.
    public var requests: [TestRequest] { state.withLock(\.requests) }

    /// Returns the requests for one URL.
    public func requests(for url: String) -> [TestRequest] { requests.filter { $0.url == url } }

    /// Releases every held response. ``TestWorld/settle()`` then waits for the outcome.
    public func release() {
        let held = state.withLock { state in
            defer { state.held = [] }
            return state.held
        }
        for call in held { call() }
    }

    /// Records a request and returns its response; `nil` if the test has set none.
    func respond(_ request: TestRequest) -> TestAnswer? {
        state.withLock { state in
            state.requests.append(request)
            let places = state.routes.indices.filter { state.routes[$0].url == request.url }
            guard
                let place = places.first(where: { state.routes[$0].method == request.method })
                    ?? places.first(where: { state.routes[$0].method == nil })
            else { return nil }
            let answer = state.routes[place].answers.first
            if state.routes[place].answers.count > 1 { state.routes[place].answers.removeFirst() }
            return answer
        }
    }

    func hold(_ call: @escaping @Sendable () -> Void) {
        state.withLock { $0.held.append(call) }
    }
}

extension TestAnswer {
    /// Returns the response to a request, and the bytes of the body that arrive; `nil` for none.
    func response(to request: TestRequest) -> (head: ResponseHead, body: ArraySlice<UInt8>)? {
        switch content {
        case .failure: return nil
        case .response(let status, let headers, let body):
            var headers = headers
            if headers.single("Content-Length") == nil {
                headers.append(HeaderField("Content-Length", "\(body.count)"))
            }
            return (ResponseHead(status: status, headers: headers, effectiveURL: request.url), body[...])
        case .file(let file, let tag):
            var headers = [HeaderField("ETag", tag), HeaderField("Accept-Ranges", "bytes")]
            var (status, part) = (200, file[...])
            let isMeant = request.header("If-Range").map { $0 == tag } ?? true
            if isMeant, let start = Self.rangeStart(request.header("Range")), start < file.count {
                (status, part) = (206, file[start...])
                headers.append(HeaderField("Content-Range", "bytes \(start)-\(file.count - 1)/\(file.count)"))
            }
            headers.append(HeaderField("Content-Length", "\(part.count)"))
            return (ResponseHead(status: status, headers: headers, effectiveURL: request.url), part)
        }
    }

    /// Returns the start of a range that extends to the end.
    private static func rangeStart(_ field: String?) -> Int? {
        guard let field, field.hasPrefix("bytes="), field.hasSuffix("-") else { return nil }
        return Int(field.dropFirst(6).dropLast())
    }
}
