/// Named credentials: what a transfer needs, and what it does without.
extension TransferMachine {
    /// What must be sent to a URL of this transfer; `nil` when it names no credential, or when the URL itself is it.
    package func credentialScope(for url: String) -> CredentialScope? {
        guard let name = record.spec.options.credentialName, record.spec.options.credentialKind == .authorization else {
            return nil
        }
        return CredentialScope.make(name, url, transfer: nil)
    }

    /// What a transfer that waits for credentials waits for: each is needed before it can go on.
    package var credentialScopes: [CredentialScope] {
        guard let name = record.spec.options.credentialName else { return [] }
        switch record.spec.options.credentialKind {
        case .url: return [CredentialScope.make(name, record.spec.url, transfer: record.id)].compactMap { $0 }
        case .authorization:
            let urls = [record.spec.url] + (record.facts.upload.uploadURL.map { [$0] } ?? [])
            var scopes = urls.compactMap { CredentialScope.make(name, $0, transfer: nil) }
            if scopes.count == 2, scopes[0] == scopes[1] { scopes.removeLast() }
            return scopes
        }
    }

    /// The request that asks for it.
    package func credentialRequest(for scope: CredentialScope) -> CredentialRequest {
        CredentialRequest.make(for: scope, of: record)
    }

    /// Whether this answer is about the credential: it came from where the credential goes, and not from where a
    /// redirect led without it.
    func wantsCredentials(after head: ResponseHead) -> Bool {
        let options = record.spec.options
        guard options.credentialName != nil else { return false }
        switch options.credentialKind {
        case .authorization:
            return head.status == 401 && credentialScopes.contains { head.isAnswer(from: $0.origin) }
        // What servers of signed URLs say when the time is over: S3 and CloudFront 403, others 401 or 410.
        case .url: return [401, 403, 410].contains(head.status)
        }
    }

    /// The first refusal has it asked for anew; nobody else's business and no failed attempt. A second one in a row, of
    /// a fresh credential, needs somebody. A crash here leaves it waiting, and the next owner asks.
    mutating func credentialsRefused(at moment: Moment) -> [TransferAction] {
        record.facts.credentialRefusals += 1
        let isSpent = record.facts.credentialRefusals > 1
        let failure = isSpent ? credentialScopes.first.map { CredentialTrouble.refused.failure(for: $0) } : nil
        record.state = .waiting(Waiting(.credentials, since: moment.now, failure: failure))
        return []
    }

    /// Its turn has come, or its next exchange, and the credential is not there: nothing is sent.
    mutating func missCredentials(at moment: Moment) -> [TransferAction] {
        switch record.state {
        case .waiting(let waiting) where waiting.reason == .credentials:
            // Asked again, because something has changed.
            record.facts.credentialRefusals = 0
            record.state = .waiting(Waiting(.credentials, since: waiting.since))
            return []
        case .waiting(let waiting) where waiting.reason == .turn && step == nil:
            record.state = .waiting(Waiting(.credentials, since: moment.now))
            return []
        case .running, .awaitingResponse:
            // The exchange was never begun, so no ending event will come.
            step = nil
            record.state = .waiting(Waiting(.credentials, since: moment.now))
            return []
        case .waiting, .paused, .succeeded, .failed, .cancelled:
            // A command came between the decision and the exchange, which was not begun either.
            step = nil
            return cleanupActions()
        }
    }

    /// Nobody has it. The bytes stay; whoever gives it, or `retry`, lets the transfer go on.
    mutating func waitForCredentials(because failure: TransferFailure) -> [TransferAction] {
        guard case .waiting(let waiting) = record.state, waiting.reason == .credentials else { return [] }
        record.state = .waiting(Waiting(.credentials, since: waiting.since, failure: failure))
        return []
    }

    mutating func takeCredentials(at moment: Moment) -> [TransferAction] {
        guard case .waiting(let waiting) = record.state, waiting.reason == .credentials else { return [] }
        return waitForTurn(at: moment)
    }
}

extension TransferSpec {
    /// Whether something is sent that opens a door, as far as its name tells.
    var hasCredentials: Bool {
        options.credentialName != nil || headers.contains { $0.guarded.isSecret }
            || (try? TransferURL(parsing: url))?.userInfo != nil  // An unreadable URL was refused.
    }
}

extension ResponseHead {
    /// Whether the server with this origin gave the answer, after redirects.
    package func isAnswer(from origin: String) -> Bool {
        guard let url = try? TransferURL(parsing: effectiveURL) else { return false }  // An unreadable URL is nobody's.
        return url.origin == origin
    }
}

extension TransferFacts {
    /// A server that gives something took what it was sent.
    mutating func noteAcceptance(_ event: EngineEvent) {
        guard credentialRefusals > 0 else { return }
        switch event {
        case .receiving, .head: credentialRefusals = 0
        case .exchangeEnded(let outcome) where outcome.head?.isSuccess == true: credentialRefusals = 0
        case .exchangeEnded, .lastBytesHeld, .bodySent, .allowanceUsed, .sharesConnections, .checkpoint, .parts,
            .places, .connectionsWanted, .heads,
            .sourcesInspected,
            .partialMeasured, .piecesChecked,
            .placed,
            .discarded:
            break
        }
    }
}

extension CredentialScope {
    fileprivate static func make(_ name: CredentialName, _ text: String, transfer: TransferID?) -> CredentialScope? {
        guard let url = try? TransferURL(parsing: text) else { return nil }  // Accepted transfers have one that reads.
        let userName = url.userInfo.flatMap { info in
            PercentCoding.decode(info.utf8.prefix { $0 != UInt8(ascii: ":") }).map {
                String(decoding: $0, as: UTF8.self)
            }
        }
        return CredentialScope(
            name: name, origin: url.origin, userName: userName?.isEmpty == true ? nil : userName, transfer: transfer)
    }
}

extension CredentialRequest {
    fileprivate static func make(for scope: CredentialScope, of record: TransferRecord) -> CredentialRequest {
        let isForURL = scope.kind == .url
        // Both were read before.
        let url = try? TransferURL(parsing: isForURL ? record.spec.url : scope.origin)
        return CredentialRequest(
            name: scope.name, kind: scope.kind, url: url?.redacted ?? scope.origin,
            userName: scope.userName, transfer: scope.transfer, transferKey: isForURL ? record.spec.options.key : nil,
            isRenewal: record.facts.credentialRefusals > 0)
    }
}
