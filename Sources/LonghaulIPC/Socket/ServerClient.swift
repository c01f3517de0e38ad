import LonghaulCore
import LonghaulSystem

/// One connected client, as the server's thread sees it.
struct ServerClient {
    enum Phase: Equatable {
        /// Hello must come until then.
        case greeting(until: SuspendingClock.Instant)
        case open
    }

    let number: ClientNumber
    let socket: Descriptor
    var phase: Phase
    var reader: FrameReader
    var output = OutputQueue()
    /// Requests that are not answered yet, without watches.
    var unanswered: Set<UInt64> = []
    var watches: Set<UInt64> = []
    /// Requests that credentials are asked with.
    var providing: Set<UInt64> = []
    var streams = ClientStreams()
    /// Watches with something to tell, in the order in which they are served.
    var offers: [(watch: UInt64, pull: WatchOffer)] = []
    /// How many updates are being made for it.
    var pulls = 0
    /// Whether the frame that has begun is a long one that may be read now.
    var mayReadLargeFrame = false
    /// What the poller waits for.
    var interest = Readiness.readable
    /// The frame that has begun must be complete until then.
    var frameDeadline: SuspendingClock.Instant?
    /// The client must have read something until then.
    var stallDeadline: SuspendingClock.Instant?

    init(number: ClientNumber, socket: Descriptor, limits: ServerLimits, now: SuspendingClock.Instant) {
        self.number = number
        self.socket = socket
        phase = .greeting(until: now + limits.helloTime)
        reader = FrameReader(limit: limits.helloFrame)
    }

    /// Whether more requests may be taken: a client that does not read its answers is not read from either.
    func isReceptive(_ limits: ServerLimits) -> Bool {
        unanswered.count < limits.requestsAtOnce && output.count < limits.outputHighWater
    }

    /// Whether the frame that has begun is so long that it has to wait for the memory that it takes.
    func lacksRoom(_ limits: ServerLimits) -> Bool {
        !mayReadLargeFrame && reader.begunLength > limits.smallFrame
    }

    /// The earliest moment at which the client has overstayed.
    var deadline: SuspendingClock.Instant? {
        var deadlines = [frameDeadline, stallDeadline].compactMap { $0 }
        if case .greeting(let until) = phase { deadlines.append(until) }
        return deadlines.min()
    }

    /// Sets the deadlines after something was read or written.
    mutating func updateDeadlines(_ limits: ServerLimits, now: SuspendingClock.Instant, wrote: Bool) {
        if !reader.hasBegunFrame || !isReceptive(limits) || lacksRoom(limits) {
            frameDeadline = nil
        } else if frameDeadline == nil {
            frameDeadline = now + limits.frameTime
        }
        if output.count <= limits.outputPatience {
            stallDeadline = nil
        } else if wrote || stallDeadline == nil {
            stallDeadline = now + limits.stallTime
        }
    }
}

/// What the watches and streams of one client were reckoned to take, in bytes.
struct ClientStreams {
    private var bytes: [UInt64: Int] = [:]
    private(set) var total = 0

    mutating func add(_ stream: UInt64, _ count: Int) {
        bytes[stream] = count
        total += count
    }

    /// How many bytes a stream that is over gives back; `nil` when there is none of that number.
    mutating func remove(_ stream: UInt64) -> Int? {
        guard let count = bytes.removeValue(forKey: stream) else { return nil }
        total -= count
        return count
    }
}
