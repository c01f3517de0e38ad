import LonghaulCore
import LonghaulSystem

/// One connected client, as the server's thread sees it.
struct ServerClient {
    enum Phase: Equatable {
        /// The client must send `hello` before this time.
        case greeting(until: SuspendingClock.Instant)
        case open
        /// No more requests are read, because the answers of all clients take too much memory.
        case held
    }

    let number: ClientNumber
    let socket: Descriptor
    var phase: Phase
    var reader: FrameReader
    var output = OutputQueue()
    /// Unanswered requests, without watches.
    var unanswered: Set<UInt64> = []
    var watches: Set<UInt64> = []
    /// Requests whose streams deliver credential requests.
    var providing: Set<UInt64> = []
    var streams = ClientStreams()
    /// Watches with a pending update, in the order in which they are served.
    var offers: [(watch: UInt64, pull: WatchOffer)] = []
    /// The number of updates being made for the client.
    var pulls = 0
    /// Whether the current frame is a long one that may be read now.
    var mayReadLargeFrame = false
    /// The events that the poller waits for.
    var interest = Readiness.readable
    /// The deadline for the current frame to be complete.
    var frameDeadline: SuspendingClock.Instant?
    /// The deadline for the client to read some bytes.
    var stallDeadline: SuspendingClock.Instant?

    init(number: ClientNumber, socket: Descriptor, limits: ServerLimits, now: SuspendingClock.Instant) {
        self.number = number
        self.socket = socket
        phase = .greeting(until: now + limits.helloTime)
        reader = FrameReader(limit: limits.helloFrame)
    }

    /// Returns whether more requests may be read: a client that does not read its replies is not read from either.
    func isReceptive(_ limits: ServerLimits) -> Bool {
        phase != .held && unanswered.count < limits.requestsAtOnce && output.count < limits.outputHighWater
    }

    /// Returns whether the current frame is so long that it has to wait for memory.
    func lacksRoom(_ limits: ServerLimits) -> Bool {
        !mayReadLargeFrame && reader.begunLength > limits.smallFrame
    }

    /// The earliest deadline of the client.
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

/// The estimated memory of all clients.
struct ClientMemory {
    /// Bytes of watches and streams.
    var streams = 0
    /// Bytes that wait for clients to read them, as of the last count.
    private var unread = 0
    /// The number of unanswered requests.
    var unanswered = 0
    /// Whether a client is held.
    var holdsClients = false

    mutating func countUnread(_ clients: [ClientNumber: ServerClient]) {
        unread = clients.values.reduce(0) { $0 + $1.output.count }
    }

    /// Whether there is no room for another answer.
    func isFull(_ limits: ServerLimits) -> Bool { unread + unanswered * limits.answerBytes >= limits.answers }
}

/// The estimated memory of one client's watches and streams, in bytes.
struct ClientStreams {
    private var bytes: [UInt64: Int] = [:]
    private(set) var total = 0

    mutating func add(_ stream: UInt64, _ count: Int) {
        bytes[stream] = count
        total += count
    }

    /// Returns the number of bytes that an ended stream frees; `nil` if no stream has that number.
    mutating func remove(_ stream: UInt64) -> Int? {
        guard let count = bytes.removeValue(forKey: stream) else { return nil }
        total -= count
        return count
    }
}
