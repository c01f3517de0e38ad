/// A session's credentials, in memory only: each is requested once for all transfers that wait for it.
///
/// A credential has an edition. If a server refuses an edition that was replaced meanwhile, no source is queried, because a newer one
/// exists.
package struct CredentialCache: Equatable, Sendable {
    /// The result for a transfer that needs a credential.
    package enum Supply: Equatable, Sendable {
        case held
        /// A source was queried and has not answered.
        case asking
        /// Query the sources now; no other caller will.
        case query(CredentialQuestion)
        case lacking(CredentialTrouble)
    }

    /// The consequence of a refused credential.
    package enum Refusal: Equatable, Sendable {
        /// Request it again.
        case renew
        /// It was new: another request would return the same.
        case spent
        /// It was replaced, is being requested already, or works for other transfers.
        case stale
    }

    private struct Held: Equatable, Sendable {
        var credential: Credential
        var edition: UInt64
        var isHelpers: Bool
        /// Whether a server accepted it.
        var isProven = false
        /// Whether it replaced a refused one.
        var isRenewed: Bool
        var expiresAt: WallTime?
    }

    private enum Page: Equatable, Sendable {
        /// `isOutdated` means that a source was added since the query.
        case asking(UInt64, instead: Held?, isOutdated: Bool = false)
        case held(Held)
        case refused(Held)
        case lacking(CredentialTrouble, since: WallTime)
    }

    /// The time after an unsuccessful query before the next one: the user may store the credential meanwhile.
    private static let patience = Duration.seconds(30)

    private var pages: [CredentialScope: Page] = [:]
    private var asked: [UInt64: CredentialScope] = [:]
    private var lastNumber: UInt64 = 0

    package init() {}

    /// Avoids reusing the other book's numbers, because answers to its requests may still arrive.
    package mutating func continueNumbers(of other: CredentialCache) { lastNumber = max(lastNumber, other.lastNumber) }

    /// Returns the credential to send now, and its edition.
    package func held(_ scope: CredentialScope, at now: WallTime) -> (credential: Credential, edition: UInt64)? {
        guard case .held(let held) = pages[scope], held.expiresAt.map({ $0 > now }) ?? true else { return nil }
        return (held.credential, held.edition)
    }

    /// Returns the result for a transfer that needs the credential; the caller sends the request if there was none yet.
    package mutating func supply(_ scope: CredentialScope, _ request: CredentialRequest, at now: WallTime) -> Supply {
        switch pages[scope] {
        case .held(let held):
            if held.expiresAt.map({ $0 > now }) ?? true { return .held }
            return query(scope, request, instead: held)
        case .asking: return .asking
        case .lacking(let trouble, let since):
            // The first condition holds unless the clock was set back.
            let isFresh = now >= since && now - since < Self.patience
            return isFresh ? .lacking(trouble) : query(scope, request, instead: nil)
        case .refused(let held): return query(scope, request, instead: held)
        case nil: return query(scope, request, instead: nil)
        }
    }

    /// Notes that the server refused this edition. `rejected` is the credential to report to a helper. `isRepeated` means that the
    /// server refused the same transfer before: then a credential that works for other transfers is kept.
    package mutating func refused(
        _ scope: CredentialScope, edition: UInt64, isRepeated: Bool, at now: WallTime
    ) -> (refusal: Refusal, rejected: Credential?) {
        guard case .held(let held) = pages[scope], held.edition == edition, !(isRepeated && held.isProven) else {
            return (.stale, nil)
        }
        let isSpent = held.isRenewed && !held.isProven
        pages[scope] = isSpent ? .lacking(.refused, since: now) : .refused(held)
        return (isSpent ? .spent : .renew, held.isHelpers ? held.credential : nil)
    }

    /// Notes that a server accepted this edition. Returns the credential to report to a helper, once.
    package mutating func proven(_ scope: CredentialScope, edition: UInt64) -> Credential? {
        guard case .held(var held) = pages[scope], held.edition == edition, !held.isProven else { return nil }
        held.isProven = true
        pages[scope] = .held(held)
        return held.isHelpers ? held.credential : nil
    }

    /// Processes an answer. Returns its scope, and the new URL if that was requested; `nil` if no transfer waits for it any more.
    package mutating func answered(
        _ number: UInt64, _ answer: CredentialAnswer, at now: WallTime
    ) -> (scope: CredentialScope, url: Credential?)? {
        guard let scope = asked.removeValue(forKey: number),
            case .asking(number, let refused, let isOutdated) = pages[scope]
        else { return nil }
        switch answer {
        case .none where isOutdated: pages[scope] = refused.map { .refused($0) }
        case .none(let trouble): pages[scope] = .lacking(trouble, since: now)
        case .given(let credential, let expiresAt, let isHelpers):
            if let flaw = credential.check(as: scope.kind) {
                pages[scope] = .lacking(.unusable(flaw.message), since: now)
            } else if expiresAt.map({ $0 <= now }) ?? false {
                pages[scope] = .lacking(.expired, since: now)
            } else if scope.kind == .url {
                pages[scope] = nil
                return (scope, credential)
            } else if let refused, refused.credential == credential, !refused.isProven {
                pages[scope] = .lacking(.refused, since: now)
            } else {
                lastNumber += 1
                pages[scope] = .held(
                    Held(
                        credential: credential, edition: lastNumber, isHelpers: isHelpers,
                        isProven: refused.map { $0.isProven && $0.credential == credential } ?? false,
                        isRenewed: refused != nil, expiresAt: expiresAt))
            }
        }
        return (scope, nil)
    }

    /// Stores a credential that the app provides without a request, and ignores a pending answer.
    package mutating func give(_ credential: Credential, for scope: CredentialScope) {
        lastNumber += 1
        pages[scope] = .held(
            Held(
                credential: credential, edition: lastNumber, isHelpers: false, isRenewed: false, expiresAt: nil))
    }

    /// Notes a new source: missing credentials can be requested again, and pending answers may be outdated.
    package mutating func reconsider() {
        pages = pages.compactMapValues { page in
            switch page {
            case .lacking: nil
            case .asking(let number, let refused, _): .asking(number, instead: refused, isOutdated: true)
            case .held, .refused: page
            }
        }
    }

    package mutating func reconsider(_ scope: CredentialScope) {
        if case .lacking = pages[scope] { pages[scope] = nil }
    }

    /// Deletes the credential of an ended transfer.
    package mutating func forget(_ scope: CredentialScope) {
        pages[scope] = nil
    }

    /// Whether a credential is held or requested.
    var isInUse: Bool {
        pages.values.contains { page in
            switch page {
            case .held, .asking: true
            case .refused, .lacking: false
            }
        }
    }

    /// The public facts, in a stable order.
    package var entries: [CredentialReport.Entry] {
        pages.map { scope, page in
            let base = CredentialReport.Entry(name: scope.name, origin: scope.origin, state: .held)
            switch page {
            case .asking: return base.with(.asking)
            case .held: return base
            case .refused: return base.with(.refused)
            case .lacking(let trouble, _): return base.with(.lacking, trouble.failure(for: scope))
            }
        }.sorted { ($0.name.description, $0.origin) < ($1.name.description, $1.origin) }
    }

    private mutating func query(
        _ scope: CredentialScope, _ request: CredentialRequest, instead refused: Held?
    ) -> Supply {
        var request = request
        if refused != nil { request.isRenewal = true }
        lastNumber += 1
        asked[lastNumber] = scope
        pages[scope] = .asking(lastNumber, instead: refused)
        return .query(CredentialQuestion(number: lastNumber, request: request))
    }
}
