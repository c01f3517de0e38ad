import LonghaulCore
import TestSupport
import Testing

/// One request for all waiting transfers, editions, and the effects of a refusal.
@Suite struct CredentialCacheTests {
    private static let now = WallTime(seconds: 1_800_000_000)
    private static let scope = CredentialScope(name: CredentialName("photos")!, origin: "https://example.org:443")
    private static let request = CredentialRequest(
        name: CredentialName("photos")!, kind: .authorization, url: "https://example.org/")
    private static let helper = CredentialAnswer.given(.bearer("one"), expiresAt: nil, isHelpers: true)

    private func supply(_ book: inout CredentialCache, at now: WallTime = now) -> CredentialCache.Supply {
        book.supply(Self.scope, Self.request, at: now)
    }

    /// Requests a credential, and answers with this.
    private func answer(_ book: inout CredentialCache, _ answer: CredentialAnswer) throws -> CredentialQuestion {
        guard case .query(let question) = supply(&book) else { throw TransferFailure(.internalFault, "nothing to ask") }
        _ = book.answered(question.number, answer, at: Self.now)
        return question
    }

    private func edition(_ book: CredentialCache) throws -> UInt64 {
        try #require(book.held(Self.scope, at: Self.now)).edition
    }

    @Test func fiftyWhoNeedItAskOnce() throws {
        var book = CredentialCache()
        let supplies = (0..<50).map { _ in supply(&book) }
        #expect(supplies.count { if case .query = $0 { true } else { false } } == 1)
        #expect(supplies.count { $0 == .asking } == 49)
        guard case .query(let question) = supplies[0] else { throw Unexpected() }
        #expect(book.answered(question.number, Self.helper, at: Self.now)?.scope == Self.scope)
        #expect(supply(&book) == .held)
        #expect(book.answered(question.number, Self.helper, at: Self.now) == nil, "an answer counts once")
    }

    @Test func fiftyRefusalsOfOneEditionRenewItOnce() throws {
        var book = CredentialCache()
        _ = try answer(&book, Self.helper)
        let first = try edition(book)
        let refusals = (0..<50).map { _ in
            book.refused(Self.scope, edition: first, isRepeated: false, at: Self.now).refusal
        }
        #expect(refusals.count { $0 == .renew } == 1 && refusals.count { $0 == .stale } == 49)
        guard case .query(let question) = supply(&book) else { return #expect(Bool(false)) }
        #expect(question.request.isRenewal)
        _ = book.answered(
            question.number, .given(.bearer("two"), expiresAt: nil, isHelpers: true), at: Self.now)
        // The refusal of an earlier credential says nothing about the new one.
        #expect(book.refused(Self.scope, edition: first, isRepeated: false, at: Self.now).refusal == .stale)
        #expect(supply(&book) == .held)
    }

    @Test func refusedRenewalIsNotRequestedAgain() throws {
        var book = CredentialCache()
        _ = try answer(&book, Self.helper)
        _ = book.refused(Self.scope, edition: try edition(book), isRepeated: false, at: Self.now)
        _ = try answer(&book, .given(.bearer("two"), expiresAt: nil, isHelpers: true))
        #expect(book.refused(Self.scope, edition: try edition(book), isRepeated: false, at: Self.now).refusal == .spent)
        #expect(supply(&book) == .lacking(.refused))
        book.reconsider(Self.scope)
        guard case .query = supply(&book) else { return #expect(Bool(false), "a retry allows another query") }
    }

    @Test func theSameSecretAgainIsNotSentAgain() throws {
        var book = CredentialCache()
        _ = try answer(&book, Self.helper)
        _ = book.refused(Self.scope, edition: try edition(book), isRepeated: false, at: Self.now)
        _ = try answer(&book, Self.helper)
        #expect(supply(&book) == .lacking(.refused))
    }

    @Test func provenCredentialStaysWhenRepeated() throws {
        var book = CredentialCache()
        _ = try answer(&book, Self.helper)
        _ = book.proven(Self.scope, edition: try edition(book))
        #expect(book.refused(Self.scope, edition: try edition(book), isRepeated: false, at: Self.now).refusal == .renew)
        _ = try answer(&book, Self.helper)
        #expect(supply(&book) == .held)
    }

    @Test func repeatedRefusalKeepsCredentialForOthers() throws {
        var book = CredentialCache()
        _ = try answer(&book, Self.helper)
        let edition = try edition(book)
        _ = book.proven(Self.scope, edition: edition)
        let refused = book.refused(Self.scope, edition: edition, isRepeated: true, at: Self.now)
        #expect(refused.refusal == .stale && refused.rejected == nil)
        #expect(supply(&book) == .held)
    }

    @Test func missingCredentialIsQueriedAgainAfterThirtySeconds() throws {
        var book = CredentialCache()
        _ = try answer(&book, .none(.helperHasNone))
        #expect(supply(&book, at: Self.now + .seconds(29)) == .lacking(.helperHasNone))
        guard case .query = supply(&book, at: Self.now + .seconds(30)) else { return #expect(Bool(false)) }
    }

    @Test func laterProviderIsQueriedAfterOthers() throws {
        var book = CredentialCache()
        _ = try answer(&book, Self.helper)
        _ = book.refused(Self.scope, edition: try edition(book), isRepeated: false, at: Self.now)
        guard case .query(let question) = supply(&book) else { return #expect(Bool(false)) }
        book.reconsider()
        #expect(supply(&book) == .asking, "the pending query may still return a credential")
        #expect(book.answered(question.number, .none(.appLeft), at: Self.now)?.scope == Self.scope)
        guard case .query(let next) = supply(&book) else { return #expect(Bool(false)) }
        #expect(next.request.isRenewal)
        _ = book.answered(next.number, .none(.appHasNone), at: Self.now)
        #expect(supply(&book) == .lacking(.appHasNone))
    }

    @Test func provenCredentialMayAlwaysBeRenewed() throws {
        var book = CredentialCache()
        for round in 0..<5 {
            _ = try answer(&book, .given(.bearer("\(round)"), expiresAt: nil, isHelpers: true))
            #expect(book.proven(Self.scope, edition: try edition(book)) == .bearer("\(round)"))
            #expect(book.proven(Self.scope, edition: try edition(book)) == nil, "the helper is notified once")
            #expect(
                book.refused(Self.scope, edition: try edition(book), isRepeated: false, at: Self.now).refusal == .renew)
        }
    }

    @Test func onlyAHelperHearsWhatBecameOfIt() throws {
        var book = CredentialCache()
        _ = try answer(&book, .given(.bearer("app"), expiresAt: nil, isHelpers: false))
        #expect(book.proven(Self.scope, edition: try edition(book)) == nil)
        #expect(book.refused(Self.scope, edition: try edition(book), isRepeated: false, at: Self.now).rejected == nil)
    }

    @Test func expiredCredentialIsRequestedBeforeRefusal() throws {
        var book = CredentialCache()
        _ = try answer(&book, .given(.bearer("one"), expiresAt: Self.now + .seconds(10), isHelpers: true))
        #expect(supply(&book) == .held)
        guard case .query = supply(&book, at: Self.now + .seconds(10)) else { return #expect(Bool(false)) }
        var other = CredentialCache()
        _ = try answer(&other, .given(.bearer("one"), expiresAt: Self.now, isHelpers: true))
        #expect(supply(&other) == .lacking(.expired))
    }

    @Test func unsolicitedCredentialReplacesPendingAnswer() throws {
        var book = CredentialCache()
        guard case .query(let question) = supply(&book) else { return #expect(Bool(false)) }
        book.give(.bearer("given"), for: Self.scope)
        #expect(book.answered(question.number, Self.helper, at: Self.now) == nil)
        #expect(book.held(Self.scope, at: Self.now)?.credential == .bearer("given"))
    }

    @Test func unusableCredentialIsReported() throws {
        var book = CredentialCache()
        let answers: [Credential] = [
            .bearer(""), .bearer("a\nb"), .basic(userName: "a:b", password: ""),
            .header(HeaderField("Content-Length", "3")), .url("https://example.org/", headers: nil),
        ]
        for credential in answers {
            _ = try answer(&book, .given(credential, expiresAt: nil, isHelpers: false))
            guard case .lacking(.unusable) = supply(&book) else { return #expect(Bool(false), "\(credential)") }
            book.reconsider()
        }
    }

    @Test func aNewURLIsHandedOverAndNotKept() throws {
        var book = CredentialCache()
        let id = TransferID(high: 1, low: 2)
        let scope = CredentialScope(
            name: CredentialName("photos")!, origin: "https://example.org:443", transfer: id)
        let request = CredentialRequest(
            name: CredentialName("photos")!, kind: .url, url: "https://example.org/a", transfer: id)
        guard case .query(let question) = book.supply(scope, request, at: Self.now) else { return #expect(Bool(false)) }
        let url = Credential.url("https://example.org/a?new", headers: nil)
        let answered = book.answered(
            question.number, .given(url, expiresAt: nil, isHelpers: false), at: Self.now)
        #expect(answered?.url == url)
        #expect(book.entries.isEmpty)
    }

    @Test func descriptionsContainNoSecret() throws {
        let credentials: [Credential] = [
            .basic(userName: "ada", password: "s3cret"), .bearer("s3cret"), .header(HeaderField("X-Key", "s3cret")),
            .url("https://h/?s3cret", headers: nil),
        ]
        for credential in credentials {
            var dumped = ""
            dump(credential, to: &dumped)
            for text in ["\(credential)", String(reflecting: credential), "\([credential])", dumped] {
                #expect(!text.contains("s3cret"), "\(text.count) characters")
            }
        }
        var book = CredentialCache()
        _ = try answer(&book, .given(.bearer("s3cret"), expiresAt: nil, isHelpers: true))
        #expect(!"\(book)\(book.entries)".contains("s3cret"))
    }
}
