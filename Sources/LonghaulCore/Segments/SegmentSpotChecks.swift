/// Checks of some blocks of a file whose validators prove little, because they consist of its date and its length. The blocks are
/// requested again when all ranges are assigned, and compared with the file: a response of another version would differ in some.
///
/// Two versions that share most of their blocks may still pass. Only a digest excludes that.
struct SegmentSpotChecks {
    /// The maximum number of requests in one attempt.
    private static let mostRequests = 2
    /// The number of blocks in one request. Some servers refuse requests for many ranges.
    private static let mostBlocks: Int64 = 32
    private static let block = SegmentSeams.overlap
    /// The bytes of a block in a response, with the headers of its part.
    private static let cost = block + 256
    /// All requests of a download cost at most one byte in this many.
    private static let share: Int64 = 100

    /// The check in progress.
    private(set) var ticket: Ticket?
    private var requests = 0
    private let blocks: Int64
    /// The number of responses that wrote to the file, and how many of them have been checked.
    private var responses: Int
    private var checked = 0
    private var random: SplitMix

    /// - Parameter isNeeded: Whether neither a digest nor the validators prove that all responses are of one version.
    init(isNeeded: Bool, total: Int64, responses: Int, seed: Int64) {
        let affordable = total / Self.share / Int64(Self.mostRequests) / Self.cost
        blocks = isNeeded ? min(affordable, Self.mostBlocks) : 0
        self.responses = responses
        random = SplitMix(state: UInt64(bitPattern: seed))
    }

    /// Whether responses have written to the file that no check has covered.
    var isDue: Bool {
        blocks > 0 && ticket == nil && responses > 1 && checked < responses && requests < Self.mostRequests
    }

    mutating func recordResponse() { responses += 1 }

    /// Returns the blocks to request, at random offsets that are spread over the bytes in the file.
    mutating func begin(_ ticket: Ticket, in map: SegmentMap) -> [Range<Int64>] {
        requests += 1
        checked = responses
        let stride = map.count / blocks
        guard stride >= Self.block else { return [] }
        self.ticket = ticket
        return (0..<blocks).compactMap { number in
            let offset = number * stride + Int64(random.next() % UInt64(stride - Self.block + 1))
            return map.range(at: offset, count: Self.block)
        }
    }

    /// Returns the received blocks that can be compared with the file.
    mutating func end(
        with outcome: ExchangeOutcome, of validators: Validators, in map: SegmentMap
    ) -> [SegmentSeams.Overlap] {
        ticket = nil
        guard let head = outcome.head, VersionGuard.failing(in: head, known: validators) == nil else { return [] }
        return MultipartRanges.parts(of: head, outcome.body).map {
            SegmentSeams.Overlap(end: $0.start + Int64($0.bytes.count), sample: $0.bytes)
        }.filter { !$0.sample.isEmpty && map.contains(SegmentMap([$0.range])) }
    }

    /// The maximum length of a response.
    static let responseLimit = Int(mostBlocks * cost)
}

/// A small generator of random numbers (splitmix64).
private struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}

extension SegmentMap {
    /// Returns a range of the file, given its offset among the received bytes; shorter at the end of a received range, and `nil` beyond
    /// all of them.
    fileprivate func range(at offset: Int64, count: Int64) -> Range<Int64>? {
        var rest = offset
        for range in ranges {
            let length = range.upperBound - range.lowerBound
            if rest < length {
                let start = range.lowerBound + rest
                return start..<min(start + count, range.upperBound)
            }
            rest -= length
        }
        return nil
    }
}

extension Validators {
    /// Whether the validators consist of the date and the length: versions with the same date and length share them. nginx and Apache
    /// build such entity tags, from hexadecimal numbers.
    package var areOfDateAndLength: Bool {
        guard let entityTag, let tag = EntityTag(entityTag) else { return true }
        guard let total else { return false }
        let parts = tag.opaque.split(separator: "-").map { UInt64($0, radix: 16) }
        return parts.count > 1 && parts.contains(UInt64(total))
    }
}

// The checks of a download.
extension SegmentMachine {
    /// Begins a check while the last ranges are still being received, so that it costs no time.
    mutating func checkSpotsEarly() {
        guard case .open = phase, board.open.isEmpty, running < min(policy.target, links.granted),
            members.values.allSatisfy(\.hasResponse), sight.files.values.allSatisfy({ $0.written > $0.start })
        else { return }
        checkSpots()
    }

    /// Begins a check if one is due. Returns whether one is in progress.
    @discardableResult
    mutating func checkSpots() -> Bool {
        if spots.ticket != nil { return true }
        guard spots.isDue, !links.refusesParts, !sources.board.isSpread else { return false }
        let ticket = links.next(of: first)
        let ranges = spots.begin(ticket, in: map)
        guard !ranges.isEmpty else { return false }
        var member = SegmentMember(state: .receiving)
        member.connection = connection
        members[ticket] = member
        actions.append(
            .check(ticket, sources[0], ranges, validators: version.settledValidators, connection: member.connection))
        return true
    }

    /// Compares the blocks of a check with the file. A server that does not send them leaves the file unchecked.
    mutating func endSpotCheck(_ outcome: ExchangeOutcome) {
        let found = spots.end(with: outcome, of: version.validators, in: map)
        found.isEmpty ? proceed() : actions.append(.compare(found))
    }
}

extension SegmentAction {
    /// The maximum length of the response to a check, in bytes.
    package static let checkLimit = SegmentSpotChecks.responseLimit
}
