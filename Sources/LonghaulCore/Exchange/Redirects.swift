/// The redirects of one exchange.
struct Redirects {
    let followsOnlyRepeating: Bool
    let limit: Int
    private let keepsCookies: Bool
    /// Whether a redirect set a cookie that the next request does not send.
    private(set) var loseCookies = false
    var hops = 0
    var facts = RedirectFacts()

    init(_ plan: ExchangePlan) {
        followsOnlyRepeating = plan.followsOnlyRepeatingRedirects
        let network = plan.network
        limit = network.redirectLimit
        keepsCookies = network.keepsCookiesWithSession || network.cookieJar != nil || network.cookieFile != nil
    }

    mutating func noteCookies(of head: ResponseHead) {
        guard (300...399).contains(head.status), !keepsCookies else { return }
        loseCookies = loseCookies || head.headers.contains { $0.isNamed("Set-Cookie") }
    }
}

/// The statements of redirects about the file: other sources, and digests of the whole (Metalink/HTTP, RFC 6249).
///
/// A digest counts only together with a link to a duplicate. Otherwise it is that of the redirect's own body (RFC 9530, section 3). A
/// statement without TLS does not count for a file with TLS, because it may have been changed in transit.
struct RedirectFacts {
    private var isPlain = false
    private var links: [String] = []
    private var digests: [HeaderField] = []

    mutating func collect(from head: ResponseHead) {
        let found = DuplicateLinks.urls(in: head)
        guard !found.isEmpty else { return }
        isPlain = isPlain || !head.effectiveURL.hasPrefix("https:")
        links += found.filter { !links.contains($0) }
        if digests.isEmpty { digests = head.headers.filter { $0.isNamed("Digest") } }
    }

    /// Returns the final headers with the statements of the redirects. The final response's own statements come first.
    func joined(to head: ResponseHead) -> ResponseHead {
        guard !links.isEmpty, !isPlain || !head.effectiveURL.hasPrefix("https:") else { return head }
        var joined = head
        joined.headers += links.map { HeaderField("Link", "<\($0)>; rel=duplicate") }
        if DigestFields.offered(in: head.headers, isWhole: head.status == 200).isEmpty { joined.headers += digests }
        return joined
    }
}
