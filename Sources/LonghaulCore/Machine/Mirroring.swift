/// Downloads from several places: which one is asked, and what may be joined.
extension TransferRecord {
    /// Before the first attempt, and where places became known on the way.
    mutating func openMirrors() {
        guard facts.download.mirrors == nil, !spec.options.mirrors.isEmpty else { return }
        facts.download.mirrors = MirrorTable([spec.url] + spec.options.mirrors)
    }

    /// Places that an answer told. They are of no use where nothing could prove that they have the same file.
    mutating func learnMirrors(from head: ResponseHead) {
        guard spec.download != nil, !head.headers.all("Link").isEmpty, isProvable else { return }
        let urls = DuplicateLinks.urls(in: head)
        guard !urls.isEmpty else { return }
        if facts.download.mirrors == nil {
            facts.download.mirrors = MirrorTable([spec.url])
            facts.download.mirrors?.acceptVersion()
        }
        facts.download.mirrors?.add(urls)
    }

    /// The URL that is asked.
    var placeURL: String { facts.download.mirrors?.url ?? spec.url }

    /// Whether a digest shows in the end that all is of one version.
    var hasDigest: Bool {
        spec.download?.pieces != nil || !wholeDigests.isEmpty
    }

    /// Whether a place with another version than the one that there is the beginning of would be found out.
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

    /// A place has failed: what comes next, where that is another place's or a later matter. `nil` where places have no part in it.
    mutating func leavePlace(
        after failure: TransferFailure, headers: [HeaderField], at moment: Moment
    ) -> MirrorTable.Choice? {
        guard facts.download.mirrors != nil, let url = facts.download.mirrors?.url else { return nil }
        facts.download.mirrors?.note(failure, of: url)
        if failure.code == .nameLookupFailed {
            let delay = Backoff.lookupDelay(failedLookups: facts.failedLookups + 1, moment.random)
            let isProven = isProvable
            let choice = facts.download.mirrors?.leaveUnresolved(
                until: moment.now + delay, at: moment.now, isProven: isProven)
            if choice != nil { facts.lastFailure = failure }
            return choice
        }
        switch RetryPolicy.decide(failure, headers: headers) {
        case .whenNetworkReturns, .whenSpaceIsFree, .whenMounted, .whenClockChanges, .later(countsAttempt: false):
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
        case .ask(let place): facts.download.mirrors?.current = place
        case .wait(let place, _):
            facts.failuresInARow += 1
            guard facts.failuresInARow <= facts.retryLimit(after: failure, spec.options) else { return .nobody }
            facts.download.mirrors?.current = place
        case .beginAnew(let place):
            // What somebody has read already is of the version that is lost.
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
    /// The whole had another digest than it must have. Whether it is worth fetching once more, from a place that did not take part.
    mutating func mayFetchAgain() -> Bool {
        download.digestMismatches += 1
        let tries = download.digestMismatches
        guard let table = download.mirrors else { return tries == 1 }
        let givers = table.places.filter { $0.bytes > 0 }
        // Where several gave, nobody knows who gave the wrong bytes: the next time only one is asked.
        if givers.count == 1 {
            download.mirrors?.lower(givers[0].url, to: .refused)
            if let lastFailure { download.mirrors?.note(lastFailure, of: givers[0].url) }
        }
        guard tries <= table.places.count + 1 else { return false }
        forgetVersion()
        return download.mirrors?.turnToNext() ?? false
    }
}

extension DownloadFacts {
    /// Takes reports of connections. Reports of the download's own exchange name the URL that it requested.
    mutating func note(_ reports: [MirrorBoard.News], serving: String?, own: String) {
        var reports = reports
        for index in reports.indices where reports[index].url == serving { reports[index].url = own }
        mirrors?.note(reports)
    }
}

extension TransferSpec {
    /// The sources for further connections, without the current one.
    func otherPlaces(in table: MirrorTable) -> [MirrorPlan.Place] {
        table.places.indices.filter { $0 != table.current && table.places[$0].standing == .good }.map { index in
            let url = table.places[index].url
            return MirrorPlan.Place(
                url: url, headers: headers(for: url).askingForIdentity, isAtHome: staysAtHome(url))
        }
    }

    /// How connections with a place are made that may not be silent for longer.
    func network(for url: String, silentAtMost limit: Duration?) -> CopyOnWrite<NetworkOptions> {
        let network = network(for: url)
        return limit.map { CopyOnWrite(network.value.silent(atMost: $0)) } ?? network
    }

    /// The header fields for a place: secrets stay with the origin that they were given for.
    func headers(for url: String) -> [HeaderField] {
        staysAtHome(url) ? headers : headers.filter { !$0.isSecret }
    }

    /// How connections with a place are made.
    func network(for url: String) -> CopyOnWrite<NetworkOptions> {
        staysAtHome(url) ? sharedNetwork : CopyOnWrite(network.withoutIdentity)
    }

    func staysAtHome(_ url: String) -> Bool {
        url == self.url || (try? TransferURL(parsing: url))?.origin == (try? TransferURL(parsing: self.url))?.origin
    }
}

extension DownloadSpec {
    /// Whether the answer to a request for the whole cannot be that of the file that is wanted.
    func isOfWrongLength(_ head: ResponseHead) -> Bool {
        guard let expectedLength, let total = ValidatorReading.total(of: head) else { return false }
        return total != expectedLength
    }
}

extension MirrorTable {
    /// What a crew told of other places.
    mutating func note(_ news: [MirrorBoard.News]) {
        for place in news {
            credit(place.url, place.bytes)
            if let rate = place.rate { note(rate: rate, of: place.url) }
            if place.isOfOtherVersion { lower(place.url, to: .otherVersion) }
        }
    }

    /// Asks the next place that is good, the present one if there is no other; `false` when none is.
    @discardableResult
    mutating func turnToNext() -> Bool {
        let order = Array(places.indices.dropFirst(current + 1)) + Array(places.indices.prefix(current + 1))
        guard let next = order.first(where: { places[$0].standing == .good }) else { return false }
        current = next
        return true
    }
}

extension TransferFailure {
    /// Whether another place may do better.
    fileprivate var isOfThePlace: Bool {
        switch code {
        case .notFound, .forbidden, .requestRejected, .redirectRefused, .preconditionFailed, .credentialsRequired,
            .certificateRejected, .protocolViolation, .contentChanged, .digestMismatch, .serverFailed:
            true
        default: false
        }
    }
}

extension TransferMachine {
    /// The place that was asked failed: another one is, or it is asked later, or the download has failed.
    mutating func lost(
        _ failure: TransferFailure, head: ResponseHead? = nil, at moment: Moment
    ) -> [TransferAction] {
        if let head, wantsCredentials(after: head) { return interrupted(failure, head: head, at: moment) }
        switch record.leavePlace(after: failure, headers: head?.headers ?? [], at: moment) {
        case .ask, .beginAnew: return stop() + waitForTurn(at: moment)
        case .wait(_, let until):
            record.state = .waiting(Waiting(.retry, since: moment.now, until: until, failure: failure))
            return stop()
        case .nobody: return fail(record.facts.explained(failure), at: moment)
        case nil: return interrupted(failure, head: head, at: moment)
        }
    }

    /// Not the file has changed, but the place that is asked has another one. `nil` where what there is came from that place itself.
    mutating func leaveStrayPlace(at moment: Moment) -> [TransferAction]? {
        guard record.facts.download.mirrors?.isElsewhere == true else { return nil }
        return lost(TransferFailure(.contentChanged, "The mirror has another version of the file."), at: moment)
    }
}
