/// Named credentials of a transfer.
extension TransferMachine {
    /// Returns the scope of the credential for a URL of this transfer; `nil` if the transfer names none, or if the URL itself is the
    /// credential.
    package func credentialScope(for url: String) -> CredentialScope? {
        guard let name = record.spec.options.credentialName, record.spec.options.credentialKind == .authorization else {
            return nil
        }
        return CredentialScope.make(name, url, transfer: nil)
    }

    /// The credentials that a waiting transfer needs. All of them are required before it continues.
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

    package func credentialRequest(for scope: CredentialScope) -> CredentialRequest {
        CredentialRequest.make(for: scope, of: record)
    }

    /// Returns whether the response is about the credential: it came from the server that received the credential, not from a redirect
    /// target that did not.
    func wantsCredentials(after head: ResponseHead) -> Bool {
        let options = record.spec.options
        guard options.credentialName != nil else { return false }
        switch options.credentialKind {
        case .authorization:
            return head.status == 401 && credentialScopes.contains { head.isAnswer(from: $0.origin) }
        // The status codes of servers for an expired signed URL: 403 for S3 and CloudFront, 401 or 410 for others.
        case .url: return [401, 403, 410].contains(head.status)
        }
    }

    /// Processes a refusal. After the first, Longhaul requests a fresh credential, which is not a failed attempt. If a server refuses the
    /// fresh credential too, the user or the app must act. After a crash, the next owner requests the credential.
    mutating func credentialsRefused(at moment: Moment) -> [TransferAction] {
        record.facts.credentialRefusals += 1
        let isSpent = record.facts.credentialRefusals > 1
        let failure = isSpent ? credentialScopes.first.map { CredentialTrouble.refused.failure(for: $0) } : nil
        record.state = .waiting(Waiting(.credentials, since: moment.now, failure: failure))
        return []
    }

    /// Waits for a missing credential before the transfer, or its next exchange, starts.
    mutating func missCredentials(at moment: Moment) -> [TransferAction] {
        switch record.state {
        case .waiting(let waiting) where waiting.reason == .credentials:
            // Something changed, so the credential is requested again.
            record.facts.credentialRefusals = 0
            record.state = .waiting(Waiting(.credentials, since: waiting.since))
            return []
        case .waiting(let waiting) where waiting.reason == .turn && step == nil:
            record.state = .waiting(Waiting(.credentials, since: moment.now))
            return []
        case .running, .awaitingResponse:
            // The exchange never started, so no ending event will arrive.
            step = nil
            record.state = .waiting(Waiting(.credentials, since: moment.now))
            return []
        case .waiting, .paused, .succeeded, .failed, .cancelled:
            // A command arrived between the decision and the exchange, which never started.
            step = nil
            return cleanupActions()
        }
    }

    /// Records that no source has the credential. The transfer keeps its bytes, and continues if it receives the credential or `retry`.
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
    /// Whether requests contain a credential, judged by the names of the headers.
    var hasCredentials: Bool {
        options.credentialName != nil || headers.contains { $0.guarded.isSecret }
            || (try? TransferURL(parsing: url))?.userInfo != nil  // An unreadable URL was refused.
    }
}

extension ResponseHead {
    /// Returns whether the server with this origin sent the response, after redirects.
    package func isAnswer(from origin: String) -> Bool {
        guard let url = try? TransferURL(parsing: effectiveURL) else { return false }  // Unreadable URLs match none.
        return url.origin == origin
    }
}

extension TransferFacts {
    /// Resets the number of refusals if the server accepted the credential.
    mutating func recordAcceptance(_ event: EngineEvent) {
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
        guard let url = try? TransferURL(parsing: text) else { return nil }  // URLs of accepted transfers parse.
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
        // Both URLs parsed before.
        let url = try? TransferURL(parsing: isForURL ? record.spec.url : scope.origin)
        return CredentialRequest(
            name: scope.name, kind: scope.kind, url: url?.redacted ?? scope.origin,
            userName: scope.userName, transfer: scope.transfer, transferKey: isForURL ? record.spec.options.key : nil,
            isRenewal: record.facts.credentialRefusals > 0)
    }
}
