import LonghaulCore
import LonghaulStore

/// The host and the group that a transfer counts with.
struct TransferLane: Equatable {
    var host: String
    var group: String
}

/// A transfer the loop has in memory: one that is under way. The others lie in the store.
struct LiveTransfer: Equatable {
    // What is long is shared by copies until one is changed: each event takes several.
    private var shared: Shared
    /// The engine job that is the machine's step.
    var ticket: Ticket?
    /// The same as `ExchangeProgress.stopLeavesDoubt` of a step that outlived its process and is not adopted yet.
    var survivorLeavesDoubt = false
    /// For giving up without progress: the most that was seen of the current exchange, and when it became that.
    var seenBytes: Int64 = 0
    var seenAt: WallTime?
    var rate = RateMeter()
    /// When the current step began.
    var begunAt: WallTime?
    /// What was shown last of the current step: an exchange that is over has no counters any more, and its end is heard of
    /// a moment later.
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

    /// What the limit for one host counts it with.
    var host: String {
        get { shared.host }
        set {
            makeUnique()
            shared.host = newValue
        }
    }

    /// What its present exchange was begun with.
    var credentialUse: CredentialUse? {
        get { shared.credentialUse }
        set {
            if newValue == nil, shared.credentialUse == nil { return }
            makeUnique()
            shared.credentialUse = newValue
        }
    }

    /// What its limits count it with: with another URL that may be another host.
    var lane: TransferLane { TransferLane(host: host, group: record.spec.options.groupName) }

    private mutating func makeUnique() {
        if !isKnownUniquelyReferenced(&shared) {
            shared = Shared(shared.machine, host: shared.host, shared.credentialUse)
        }
    }

    /// Changed only while one transfer alone refers to it.
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

    /// Whether an attempt is under way, or one is still being stopped.
    var isUnderWay: Bool {
        if machine.step != nil { return true }
        switch record.state {
        case .running, .awaitingResponse: return true
        case .waiting, .paused, .succeeded, .failed, .cancelled: return false
        }
    }

    /// Whether it counts against the limits. A file that is being placed needs its server no more: the next transfer
    /// begins while the disk works.
    var holdsSlot: Bool {
        switch machine.step {
        case .placing, .stopping(.placing): false
        case .checking(let reason), .stopping(.checking(let reason)): !reason.isAboutDownload && isUnderWay
        case .inspecting, .measuring, .downloading, .sending, .discovering, .creating, .asking, .patching, .stopping,
            nil:
            isUnderWay
        }
    }

    /// Whether work is left over that the loop has begun or is about to begin.
    var isTidying: Bool {
        record.state.isEnded && !record.facts.cleanup.isEmpty && record.facts.cleanup != [.record]
    }

    /// When the loop must look at it again by itself.
    var alarm: WallTime? {
        if record.state.isEnded { return nil }
        var date = record.facts.deadline
        if case .waiting(let waiting) = record.state, let until = waiting.until { date = min(date, until) }
        return min(date, starvesAt ?? date)
    }

    /// When it is given up because it won nothing while it ran or waited for its next try.
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

    /// What the exchange of a step is called.
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
