import Testing

@testable import LonghaulCore

/// What redirects state about a file (RFC 6249).
@Suite struct RedirectFactsTests {
    private static let digest = "SHA-256=" + Base64.encode(Array(repeating: 7, count: 32))

    private func hop(_ url: String, link: String? = "<https://m.test/f>; rel=duplicate") -> ResponseHead {
        let links = link.map { [HeaderField("Link", $0)] } ?? []
        return ResponseHead(status: 302, headers: links + [HeaderField("Digest", Self.digest)], effectiveURL: url)
    }

    private func joined(_ hops: [ResponseHead], _ final: ResponseHead) -> ResponseHead {
        var facts = RedirectFacts()
        for hop in hops { facts.collect(from: hop) }
        return facts.joined(to: final)
    }

    private func final(_ url: String, _ headers: [HeaderField] = []) -> ResponseHead {
        ResponseHead(status: 200, headers: headers, effectiveURL: url)
    }

    @Test(arguments: [("http", "http"), ("https", "https"), ("http", "https")])
    func onlySecureHopsSpeakForSecureFiles(hop scheme: String, final end: String) {
        let head = joined([hop("\(scheme)://r.test/f")], final("\(end)://cdn.test/f"))
        let counts = scheme == end
        #expect(DuplicateLinks.urls(in: head) == (counts ? ["https://m.test/f"] : []))
        #expect(DigestFields.offered(in: head.headers, isWhole: true).count == (counts ? 1 : 0))
    }

    /// Without a duplicate the digest is that of the redirect's own body.
    @Test func aDigestAloneDoesNotCount() {
        let head = joined([hop("https://r.test/f", link: nil)], final("https://cdn.test/f"))
        #expect(head == final("https://cdn.test/f"))
    }

    @Test func theFinalResponseSpeaksFirst() {
        let own = HeaderField("Repr-Digest", "sha-256=:" + Base64.encode(Array(repeating: 9, count: 32)) + ":")
        let head = joined([hop("https://r.test/f")], final("https://cdn.test/f", [own]))
        #expect(DigestFields.offered(in: head.headers, isWhole: true).map(\.bytes) == [Array(repeating: 9, count: 32)])
    }
}
