/// Downloads from several sources: the choice of the source, and which bytes may be joined.
extension TransferRecord {
    /// Creates the table of sources before the first attempt, and leaves a banned source before a later one.
    mutating func openMirrors() {
        facts.download.mirrors?.leaveBannedPlace()
        guard facts.download.mirrors == nil, !spec.options.mirrors.isEmpty else { return }
        facts.download.mirrors = MirrorTable([spec.url] + spec.options.mirrors)
    }

    /// Adds the sources from a response. They are useless if nothing could prove that they have the same file.
    mutating func learnMirrors(from head: ResponseHead) {
        guard spec.download != nil, !head.headers.all("Link").isEmpty, isProvable else { return }
        let urls = DuplicateLinks.urls(in: head)
        guard !urls.isEmpty else { return }
        if facts.download.mirrors == nil {
            facts.download.mirrors = MirrorTable([spec.url])
            facts.download.mirrors?.acceptVersion()
        }
        facts.download.mirrors?.add(urls)
        facts.download.banPlainMirrors(for: spec.download)
    }

    /// The URL of the current source.
    var placeURL: String { facts.download.mirrors?.url ?? spec.url }

    /// Whether a digest proves in the end that all bytes belong to one version.
    var hasDigest: Bool {
        spec.download?.pieces != nil || !wholeDigests.isEmpty
    }

    /// Whether the download would detect that a source has another version than the bytes so far.
    var isProvable: Bool {
        guard let validators = facts.download.validators, validators.total != nil else { return false }
        return hasDigest || ResumeLadder.hasSettledTag(validators)
    }

    /// The validators that a response of the current source must match (``VersionGuard``).
    var validatorsAtPlace: Validators? {
        let validators = facts.download.validators
        let isElsewhere = facts.download.mirrors?.isElsewhere ?? false
        return isElsewhere || hasDigest ? validators?.elsewhere(isProvenByDigest: hasDigest) : validators
    }

    /// Leaves a failed source. Returns the choice of another source or a later time; `nil` if sources do not matter.
    mutating func leavePlace(
        after failure: TransferFailure, headers: [HeaderField], at moment: Moment
    ) -> MirrorTable.Choice? {
        guard facts.download.mirrors != nil, let url = facts.download.mirrors?.url else { return nil }
        facts.download.mirrors?.recordFailure(failure, of: url)
        facts.download.banPlainMirrors(for: spec.download)
        if failure.code == .nameLookupFailed {
            let delay = Backoff.lookupDelay(failedLookups: facts.failedLookups + 1, moment.random)
            let isProven = isProvable
            let choice = facts.download.mirrors?.leaveUnresolved(
                until: moment.now + delay, at: moment.now, isProven: isProven)
            if choice != nil { facts.lastFailure = failure }
            return choice
        }
        switch RetryPolicy.decide(failure, headers: headers) {
        case .whenNetworkReturns, .whenSpaceIsFree, .whenMounted, .whenUnlocked, .whenClockChanges,
            .later(countsAttempt: false):
            return nil
        case .later(countsAttempt: true):
            let failures = (facts.download.mirrors?.failuresOfCurrent() ?? 0) + 1
            let delay = Backoff.delay(
                failuresInARow: failures, retryAfter: RetryAfter.delay(in: headers, now: moment.now),
                random: moment.random)
            facts.download.mirrors?.rest(until: moment.now + delay)
        case .never, .needsCredentials:
            guard failure.isOfThePlace else { return nil }
            facts.download.mirrors?.lower(url, to: failure.code == .contentChanged ? .otherVersion : .refused)
        }
        facts.lastFailure = failure
        let choice = facts.download.mirrors?.choice(at: moment.now, isProven: isProvable) ?? .nobody
        switch choice {
        case .use(let place): facts.download.mirrors?.current = place
        case .wait(let place, _):
            facts.failuresInARow += 1
            guard facts.failuresInARow <= facts.retryLimit(after: failure, spec.options) else { return .nobody }
            facts.download.mirrors?.current = place
        case .beginAnew(let place):
            // An app has already read bytes of the lost version.
            if spec.download?.isFollowed == true { return .nobody }
            facts.forgetVersion()
            facts.beginAnew(because: .placeLost)
            facts.download.mirrors?.current = place
        case .nobody: break
        }
        return choice
    }
}

extension TransferFacts {
    /// Handles a wrong digest of the whole file. Returns whether to download it once more, from a source that did not take part.
    mutating func mayFetchAgain() -> Bool {
        download.digestMismatches += 1
        let tries = download.digestMismatches
        guard let table = download.mirrors else { return tries == 1 }
        let givers = table.places.filter { $0.bytes > 0 }
        // If several sources contributed, the source of the wrong bytes is unknown, so the next attempt uses only one.
        if givers.count == 1 {
            download.mirrors?.lower(givers[0].url, to: .refused)
            if let lastFailure { download.mirrors?.recordFailure(lastFailure, of: givers[0].url) }
        }
        guard tries <= table.places.count + 1 else { return false }
        forgetVersion()
        return download.mirrors?.turnToNext() ?? false
    }
}

extension DownloadFacts {
    /// Adds reports of connections. Reports of the download's own exchange name the URL that it requested. Returns whether the
    /// current source is banned now.
    @discardableResult
    mutating func add(_ reports: [MirrorSelector.Statistics], of record: TransferRecord) -> Bool {
        var reports = reports
        let serving = record.servingURL
        for index in reports.indices where reports[index].url == serving { reports[index].url = record.placeURL }
        mirrors?.add(reports)
        return banPlainMirrors(for: record.spec.download)
    }
}

extension TransferSpec {
    /// Returns the sources for additional connections, without the current one.
    func otherPlaces(in table: MirrorTable) -> [MirrorPlan.Place] {
        table.places.indices.filter { $0 != table.current && table.places[$0].standing == .good }.map { index in
            let url = table.places[index].url
            return MirrorPlan.Place(
                url: url, headers: headers(for: url).askingForIdentity, isAtHome: staysAtHome(url))
        }
    }

    /// Returns the network options for a source, with limited silence.
    func network(for url: String, silentAtMost limit: Duration?) -> CopyOnWrite<NetworkOptions> {
        let network = network(for: url)
        return limit.map { CopyOnWrite(network.value.silent(atMost: $0)) } ?? network
    }

    /// Returns the headers for a source. Secrets are sent only to the origin that they were given for.
    func headers(for url: String) -> [HeaderField] {
        staysAtHome(url) ? headers : headers.filter { !$0.isSecret }
    }

    /// Returns the network options for a source.
    func network(for url: String) -> CopyOnWrite<NetworkOptions> {
        staysAtHome(url) ? sharedNetwork : CopyOnWrite(network.withoutIdentity)
    }

    func staysAtHome(_ url: String) -> Bool {
        url == self.url || (try? TransferURL(parsing: url))?.origin == (try? TransferURL(parsing: self.url))?.origin
    }
}

extension DownloadSpec {
    /// Returns whether the response to a request for the whole file cannot be the requested file.
    func isOfWrongLength(_ head: ResponseHead) -> Bool {
        guard let expectedLength, let total = ValidatorReading.total(of: head) else { return false }
        return total != expectedLength
    }
}

extension MirrorTable {
    /// Adds the reports of a connection pool about other sources.
    mutating func add(_ news: [MirrorSelector.Statistics]) {
        for place in news {
            credit(place.url, place.bytes)
            if let rate = place.rate { update(rate: rate, of: place.url) }
            if place.isOfOtherVersion { lower(place.url, to: .otherVersion) }
            guard let rejection = place.rejection else { continue }
            recordFailure(rejection, of: place.url)
            // The current source serves another connection; its next attempt shows whether its certificate is valid.
            if place.url != url { lower(place.url, to: .refused) }
        }
    }

    /// Switches to the next good source, which may be the current one. Returns `false` if there is none.
    @discardableResult
    mutating func turnToNext() -> Bool {
        let order = Array(places.indices.dropFirst(current + 1)) + Array(places.indices.prefix(current + 1))
        guard let next = order.first(where: { places[$0].standing == .good }) else { return false }
        current = next
        return true
    }
}

extension TransferFailure {
    /// Whether another source may succeed.
    fileprivate var isOfThePlace: Bool {
        switch code {
        case .notFound, .forbidden, .requestRejected, .redirectRefused, .preconditionFailed, .credentialsRequired,
            .certificateRejected, .tlsFailed, .protocolViolation, .contentChanged, .digestMismatch, .serverFailed:
            true
        default: false
        }
    }
}

extension TransferMachine {
    /// Handles the failure of a source: switches to another one, waits, or fails.
    mutating func lost(
        _ failure: TransferFailure, head: ResponseHead? = nil, at moment: Moment
    ) -> [TransferAction] {
        if let head, wantsCredentials(after: head) { return interrupted(failure, head: head, at: moment) }
        switch record.leavePlace(after: failure, headers: head?.headers ?? [], at: moment) {
        case .use, .beginAnew: return stop() + waitForTurn(at: moment)
        case .wait(_, let until):
            record.state = .waiting(Waiting(.retry, since: moment.now, until: until, failure: failure))
            return stop()
        case .nobody:
            let advice = RetryPolicy.decide(failure, headers: head?.headers ?? [], for: record)
            return fail(record.facts.explained(failure), advice, at: moment)
        case nil: return interrupted(failure, head: head, at: moment)
        }
    }

    /// Leaves a source that has another version, although the file itself has not changed. Returns `nil` if the current bytes came from
    /// this source.
    mutating func leaveStrayPlace(at moment: Moment) -> [TransferAction]? {
        guard record.facts.download.mirrors?.isElsewhere == true else { return nil }
        return lost(TransferFailure(.contentChanged, "The mirror has another version of the file."), at: moment)
    }
}
