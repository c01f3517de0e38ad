/// What a session knows of its credentials, in memory only: each is asked for once, whoever waits for it.
///
/// A credential has an edition. The refusal of an edition that was replaced meanwhile asks nobody: there is a newer one.
package struct CredentialBook: Equatable, Sendable {
    /// What there is for a transfer that needs a credential.
    package enum Supply: Equatable, Sendable {
        case held
        /// Somebody was asked and has not answered.
        case asking
        /// Ask now; nobody else will.
        case ask(CredentialQuestion)
        case lacking(CredentialTrouble)
    }

    /// What the refusal of a credential leads to.
    package enum Refusal: Equatable, Sendable {
        /// It is to be asked for anew.
        case renew
        /// It was fresh: asking again would give the same.
        case spent
        /// It was replaced, is being asked for already, or serves others.
        case stale
    }

    private struct Held: Equatable, Sendable {
        var credential: Credential
        var edition: UInt64
        var isHelpers: Bool
        /// Whether a server took it.
        var isProven = false
        /// Whether it was given in place of one that was refused.
        var isRenewed: Bool
        var expiresAt: WallTime?
    }

    private enum Page: Equatable, Sendable {
        /// `isOutdated`: there is somebody now who was not asked.
        case asking(UInt64, instead: Held?, isOutdated: Bool = false)
        case held(Held)
        case refused(Held)
        case lacking(CredentialTrouble, since: WallTime)
    }

    /// Whoever comes later than this after a vain question asks again: somebody may have stored it meanwhile.
    private static let patience = Duration.seconds(30)

    private var pages: [CredentialScope: Page] = [:]
    private var asked: [UInt64: CredentialScope] = [:]
    private var lastNumber: UInt64 = 0

    package init() {}

    /// Answers to the other book's questions may still come, so their numbers are not given again.
    package mutating func continueNumbers(of other: CredentialBook) { lastNumber = max(lastNumber, other.lastNumber) }

    /// The credential to send now, and its edition.
    package func held(_ scope: CredentialScope, at now: WallTime) -> (credential: Credential, edition: UInt64)? {
        guard case .held(let held) = pages[scope], held.expiresAt.map({ $0 > now }) ?? true else { return nil }
        return (held.credential, held.edition)
    }

    /// What there is for a transfer that needs the credential; the request is sent if nobody was asked yet.
    package mutating func supply(_ scope: CredentialScope, _ request: CredentialRequest, at now: WallTime) -> Supply {
        switch pages[scope] {
        case .held(let held):
            if held.expiresAt.map({ $0 > now }) ?? true { return .held }
            return ask(scope, request, instead: held)
        case .asking: return .asking
        case .lacking(let trouble, let since):
            // Also when the clock was set back.
            let isFresh = now >= since && now - since < Self.patience
            return isFresh ? .lacking(trouble) : ask(scope, request, instead: nil)
        case .refused(let held): return ask(scope, request, instead: held)
        case nil: return ask(scope, request, instead: nil)
        }
    }

    /// The server refused this edition. `rejected` is what a helper must be told of. `isRepeated` says that it refused the
    /// same transfer before: then what others use well is left to them.
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

    /// A server took this edition. The answer is what a helper must be told of, once.
    package mutating func proven(_ scope: CredentialScope, edition: UInt64) -> Credential? {
        guard case .held(var held) = pages[scope], held.edition == edition, !held.isProven else { return nil }
        held.isProven = true
        pages[scope] = .held(held)
        return held.isHelpers ? held.credential : nil
    }

    /// An answer has come: for whom, and the new URL if it was asked for. `nil` when nobody waits for it any more.
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

    /// The app gives one without being asked; an answer that is still to come is not waited for.
    package mutating func give(_ credential: Credential, for scope: CredentialScope) {
        lastNumber += 1
        pages[scope] = .held(
            Held(
                credential: credential, edition: lastNumber, isHelpers: false, isRenewed: false, expiresAt: nil))
    }

    /// There is somebody else to ask: for what was lacking, and for what those have not who are being asked.
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

    /// The transfer has ended.
    package mutating func forget(_ scope: CredentialScope) {
        pages[scope] = nil
    }

    /// What may be shown, in a stable order.
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

    private mutating func ask(
        _ scope: CredentialScope, _ request: CredentialRequest, instead refused: Held?
    ) -> Supply {
        var request = request
        if refused != nil { request.isRenewal = true }
        lastNumber += 1
        asked[lastNumber] = scope
        pages[scope] = .asking(lastNumber, instead: refused)
        return .ask(CredentialQuestion(number: lastNumber, request: request))
    }
}
