import LonghaulCore

/// The version of a file that a crew fetches, as the first answer told it.
struct SegmentVersion {
    let head: ResponseHead
    let validators: Validators

    init(_ head: ResponseHead, resume: ResumePoint?) {
        self.head = head
        var validators = ValidatorReading.validators(from: head)
        if head.status == 206, let resume {
            let total = validators.total ?? resume.validators.total
            // Where a digest decides, what the first answer said of itself is not known: further parts are held to this one.
            let isKnown = resume.validators.entityTag != nil || resume.validators.lastModified != nil
            if isKnown { validators = resume.validators }
            validators.total = total
        }
        self.validators = validators
    }

    /// Whether the server has shown that it can send a part, and tells versions apart.
    var canBeSplit: Bool {
        head.servesRanges && ResumeLadder.guardsParts(validators)
    }

    /// Whether a whole body is this version's.
    func isThat(of other: ResponseHead) -> Bool {
        validators.isOfSameVersion(as: ValidatorReading.validators(from: other))
    }

    /// Whether another answer names another digest of the whole.
    func contradicts(_ other: ResponseHead) -> Bool {
        let (ours, theirs) = (Self.digests(head), Self.digests(other))
        return !ours.isEmpty && !theirs.isEmpty && ours != theirs
    }

    private static func digests(_ head: ResponseHead) -> [Digest] {
        DigestFields.offered(in: head.headers, isWhole: head.status == 200)
    }
}

/// A helper that has not asked yet.
struct PlannedHelper {
    var ticket: Ticket
    var place: Int
    /// Who stops where it begins, as soon as it is answered.
    var shortened: Ticket?
}

/// What is to be known of helpers until they end.
struct HelperNotes {
    /// Helpers that are to take over the end of what another one fetches. Until a server has given them something that one goes on
    /// beyond it, so that a refusal costs nothing.
    var successors: [Ticket: Ticket] = [:]
    /// Who is not needed any more and has not ended.
    var leaving: Set<Ticket> = []
    /// What was given to those who asked for a part and got the whole.
    var wholes: [Ticket: ResponseHead] = [:]
    /// The connections of helpers that share none.
    var connections: MultiHandle?
    /// How many connections wait for another request, with open windows.
    var warm = 0
    /// Whether the first one's connection can carry others as well.
    var sharesConnection = false
    /// Whether the server was asked over HTTP/1.1, and gave no answer.
    var refusesHTTP1 = false
    /// Whether the URL that a redirect led to has refused a helper: its signature may have expired. Further ones ask the transfer's
    /// own URL.
    var asksOwnURL = false
    /// Whose answers were for less than was asked for.
    var shortAnswers: Set<Ticket> = []
}

/// What of a file with holes is on stable storage.
struct SegmentSyncs {
    private(set) var synced: SegmentMap
    /// What a sync under way brings there.
    private(set) var syncing: SegmentMap?
    private(set) var begunAt: Int64 = 0

    init(synced: SegmentMap) {
        self.synced = synced
    }

    mutating func begin(_ map: SegmentMap, at now: Int64) {
        syncing = map
        begunAt = now
    }

    mutating func end(isGood: Bool) {
        if isGood, let syncing { synced = synced.union(syncing) }
        syncing = nil
    }
}

extension ExchangeOutcome {
    /// As the end of a whole of which it was a part.
    var asEndOfWhole: ExchangeOutcome {
        var outcome = self
        if case .written = disposition { outcome.disposition = .none }
        return outcome
    }

    var isOfTheFile: Bool {
        if case .broke(let failure) = ending { failure.isOfTheFile } else { false }
    }
}

extension TransferFailure {
    /// Whether it is about the file and not about the network: another connection would meet it as well.
    var isOfTheFile: Bool {
        [.diskFull, .fileFailed, .destinationUnwritable].contains(code)
    }
}
