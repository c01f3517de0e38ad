import LonghaulCore
import LonghaulStore

/// The host and the group whose limits count a transfer.
struct TransferLane: Equatable {
    var host: String
    var group: String
}

/// An active transfer, in memory. The others are only in the store.
struct LiveTransfer: Equatable {
    // Large values are shared by copies until one changes: each event makes several copies.
    private var shared: Shared
    /// The engine job that is the machine's step.
    var ticket: Ticket?
    /// The `ExchangeProgress.stopLeavesDoubt` of a step that outlived its process and is not adopted yet.
    var survivorLeavesDoubt = false
    /// For the progress timeout: the most bytes seen of the current exchange, and when they were first seen.
    var seenBytes: Int64 = 0
    var seenAt: WallTime?
    var rate = RateMeter()
    /// When the current step began.
    var begunAt: WallTime?
    /// The last counters shown of the current step. An ended exchange has no counters, and the event of its end arrives a moment
    /// later.
    var lastProgress: ExchangeProgress?

    init(_ record: TransferRecord, host: String) {
        shared = Shared(TransferMachine(record), host: host, nil)
    }

    var machine: TransferMachine {
        @inline(__always) get { shared.machine }
        _modify {
            makeUnique()
            yield &shared.machine
        }
    }

    /// The host under which the per-host limit counts it.
    var host: String {
        get { shared.host }
        set {
            makeUnique()
            shared.host = newValue
        }
    }

    /// The credential of its current exchange.
    var credentialUse: CredentialUse? {
        get { shared.credentialUse }
        set {
            if newValue == nil, shared.credentialUse == nil { return }
            makeUnique()
            shared.credentialUse = newValue
        }
    }

    /// The host and group for the limits. A new URL may change the host.
    var lane: TransferLane { TransferLane(host: host, group: record.spec.options.groupName) }

    private mutating func makeUnique() {
        if !isKnownUniquelyReferenced(&shared) {
            shared = Shared(shared.machine, host: shared.host, shared.credentialUse)
        }
    }

    /// Changed only while a single transfer refers to it.
    private final class Shared: Equatable {
        var machine: TransferMachine
        var host: String
        var credentialUse: CredentialUse?

        init(_ machine: TransferMachine, host: String, _ credentialUse: CredentialUse?) {
            self.machine = machine
            self.host = host
            self.credentialUse = credentialUse
        }

        static func == (left: Shared, right: Shared) -> Bool {
            left === right
                || left.machine == right.machine && left.host == right.host && left.credentialUse == right.credentialUse
        }
    }

    /// A URL that does not parse was refused at submission.
    static func host(of spec: TransferSpec) -> String {
        (try? TransferURL(parsing: spec.url))?.origin ?? ""
    }

    var record: TransferRecord {
        @inline(__always) get { shared.machine.record }
    }

    var wantsTurn: Bool {
        guard machine.step == nil, case .waiting(let waiting) = record.state else { return false }
        return waiting.reason == .turn
    }

    /// Whether an attempt is active or still being stopped.
    var isUnderWay: Bool {
        if machine.step != nil { return true }
        switch record.state {
        case .running, .awaitingResponse: return true
        case .waiting, .paused, .succeeded, .failed, .cancelled: return false
        }
    }

    /// Whether it counts against the limits. During the final rename it needs no server, so the next transfer may begin.
    var holdsSlot: Bool {
        switch machine.step {
        case .placing, .stopping(.placing): false
        case .checking(let reason), .stopping(.checking(let reason)): !reason.isAboutDownload && isUnderWay
        case .inspecting, .measuring, .downloading, .sending, .discovering, .creating, .asking, .patching, .stopping,
            nil:
            isUnderWay
        }
    }

    /// Whether cleanup is left that the loop has begun or is about to begin.
    var isTidying: Bool {
        record.state.isEnded && !record.facts.cleanup.isEmpty && record.facts.cleanup != [.record]
    }

    /// When the loop must handle it without another event.
    var alarm: WallTime? {
        if record.state.isEnded { return nil }
        var date = record.facts.deadline
        if case .waiting(let waiting) = record.state, let until = waiting.until { date = min(date, until) }
        return min(date, starvesAt ?? date)
    }

    /// When it fails because it made no progress while it ran or waited for its next try.
    var starvesAt: WallTime? {
        guard let limit = record.spec.options.progressTimeout else { return nil }
        switch record.state {
        case .running, .awaitingResponse: break
        case .waiting(let waiting): if waiting.reason != .retry { return nil }
        case .paused, .succeeded, .failed, .cancelled: return nil
        }
        let won = record.facts.lastProgressAt ?? record.facts.createdAt
        return max(seenAt ?? won, won) + limit
    }

    mutating func beginStep(_ ticket: Ticket, at now: WallTime) {
        self.ticket = ticket
        survivorLeavesDoubt = false
        begunAt = now
        rate = RateMeter()
        seenBytes = 0
        lastProgress = nil
    }

    /// Returns the ID of the exchange of a step.
    func exchangeName(of work: EngineWork) -> ExchangeID? {
        guard case .exchange = work else { return nil }
        return ExchangeID(transfer: record.id, attempt: record.facts.attempts)
    }

    mutating func see(_ bytes: Int64, at now: WallTime) {
        guard bytes > seenBytes else { return }
        seenBytes = bytes
        seenAt = now
    }

    var queueEntry: TurnQueue.Entry {
        TurnQueue.Entry(
            id: record.id, sequence: record.sequence, priority: record.turnPriority, host: host,
            group: record.spec.options.groupName, needsOwnConnection: !machine.isSafeToSendAgain,
            standing: record.standing)
    }
}
