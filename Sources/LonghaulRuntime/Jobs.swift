import LonghaulCore

/// What the engine is at work on, by ticket.
struct Jobs {
    /// What an engine job is for.
    enum Job {
        case step(TransferID)
        case cleanup(TransferID, CleanupTask)

        var transfer: TransferID {
            switch self {
            case .step(let id), .cleanup(let id, _): id
            }
        }
    }

    private var jobs: [Ticket: Job] = [:]
    private var nextTicket: UInt64 = 1

    /// `nil` when the job's transfer was removed, or the job belongs to an engine that is gone.
    subscript(ticket: Ticket) -> Job? { jobs[ticket] }

    var tickets: some Collection<Ticket> { jobs.keys }

    mutating func begin(_ job: Job) -> Ticket {
        let ticket = Ticket(nextTicket)
        nextTicket += 1
        jobs[ticket] = job
        return ticket
    }

    mutating func end(_ ticket: Ticket) { jobs[ticket] = nil }

    /// The engine before may still say something of its jobs.
    mutating func continueTickets(of old: Jobs) { nextTicket = old.nextTicket }
}
