extension Replacement {
    /// Returns the replacement with missing values from the spec: without a URL, the transfer keeps its URL and its headers with other
    /// names.
    package func completed(from spec: TransferSpec) -> Replacement {
        guard url.isEmpty else { return self }
        let given = headers ?? []
        let kept = spec.headers.filter { field in !given.contains { $0.isNamed(field.name) } }
        return Replacement(url: spec.url, headers: kept + given, key: key)
    }
}

/// Another URL for the same content, for example after a signed URL expired, or headers with a new secret.
extension TransferMachine {
    /// Replaces the URL or headers. Progress is kept, and used if the rules for resuming allow it.
    mutating func replace(_ replacement: Replacement, at moment: Moment) -> Reaction {
        let spec = record.spec.replaced(by: replacement)
        do throws(TransferFailure) {
            try TransferRecord.check(spec)
        } catch {
            return Reaction(refusal: error)
        }
        switch record.state {
        case .succeeded, .cancelled:
            return refuse("The transfer has ended and cannot be changed. Submit it again.")
        case .awaitingResponse where !isSafeToSendAgain, .running where moment.stopLeavesDoubt:
            return refuse(
                "The URL cannot be replaced now: everything was sent, or may have been, and the response is pending."
            )
        case .failed:
            // A new URL implies a retry.
            let reaction = retry(at: moment)
            if reaction.refusal == nil { record.point(to: spec) }
            return reaction
        case .paused:
            record.point(to: spec)
            record.facts.credentialRefusals = 0
            return Reaction()
        case .waiting, .running, .awaitingResponse:
            // An identical replacement interrupts nothing.
            guard spec != record.spec else { return Reaction() }
            record.point(to: spec)
            record.facts.credentialRefusals = 0
            return Reaction(stop() + waitForTurn(at: moment))
        }
    }

    /// Takes the URL that was requested because the current one had expired.
    mutating func takeURL(_ replacement: Replacement, at moment: Moment) -> Reaction {
        // A command or a time limit came first.
        guard case .waiting(let waiting) = record.state, waiting.reason == .credentials else { return Reaction() }
        let spec = record.spec.replaced(by: replacement)
        do throws(TransferFailure) {
            try TransferRecord.check(spec)
        } catch {
            return Reaction(refusal: error)
        }
        record.point(to: spec)
        return Reaction(waitForTurn(at: moment))
    }
}

extension TransferRecord {
    fileprivate mutating func point(to spec: TransferSpec) {
        let (old, new) = (try? TransferURL(parsing: self.spec.url), try? TransferURL(parsing: spec.url))
        let isSamePlace = old?.origin == new?.origin && old?.path == new?.path
        facts.changes.recordChange(self.spec, replacedBy: spec)
        self.spec = spec
        facts.download.mirrors?.replaceFirst(by: spec.url)
        facts.download.effectiveURL = nil
        // On another server, a date says nothing about the version, while a strong tag, a length, and equal bytes still do.
        if !isSamePlace { facts.download.forgetPlace() }
        facts.download.files.kept?.value.effectiveURL = nil
        if !isSamePlace { facts.download.files.kept?.value.validators.lastModified = nil }
        guard case .upload(.tus) = spec.work, old?.text != new?.text else { return }
        facts.upload.tus = nil
        guard old?.host != new?.host else { return }
        // The upload is on the old host, which must not receive data for the new one.
        facts.upload.uploadURL = nil
        facts.upload.acknowledged = 0
        facts.upload.allBytesSent = false
        facts.bytesDone = 0
    }
}

extension DownloadFacts {
    /// Forgets what says nothing about the file at another URL.
    fileprivate mutating func forgetPlace() {
        validators?.lastModified = nil
        (served.mediaType, served.isIdentified) = (nil, false)
    }
}

extension TransferSpec {
    fileprivate func replaced(by replacement: Replacement) -> TransferSpec {
        var spec = self
        spec.url = replacement.url
        if let headers = replacement.headers { spec.headers = headers }
        if let key = replacement.key { spec.network = network.trusting(key) }
        return spec
    }
}
