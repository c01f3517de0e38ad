/// What moves bytes and touches files on behalf of the loop: two halves, which know nothing of each other here.
///
/// Both answer through the sink given at their creation; the tickets of both are of one count.
package struct Engine: Sendable {
    package let exchanges: any ExchangeEngine
    package let files: any FileEngine

    package init(exchanges: any ExchangeEngine, files: any FileEngine) {
        self.exchanges = exchanges
        self.files = files
    }

    /// Begins a job.
    package func start(_ job: EngineJob) {
        switch job.work {
        case .exchange(let plan): exchanges.start(plan, as: job.ticket, named: job.exchange)
        case .files(let work):
            if case .discard(let paths) = work { exchanges.noteDiscarded(partials: paths) }
            files.start(work, as: job.ticket)
        }
    }

    /// Ends a job as soon as possible; its ending event still comes. Unknown tickets are ignored.
    package func cancel(_ ticket: Ticket) {
        exchanges.cancel(ticket)
        files.interrupt(ticket)
    }

    /// Ends everything and frees what is held, but for exchanges that outlive the process; no event is sent after it returns.
    package func shutDown() {
        exchanges.shutDown()
        files.shutDown()
    }
}

/// What moves bytes over HTTP.
///
/// Every method returns at once. What becomes of an exchange comes as events, in order for each ticket, through the sink
/// given at creation; an exchange answers with exactly one `.exchangeEnded`, also after `cancel`. Unknown tickets are ignored.
package protocol ExchangeEngine: AnyObject, Sendable {
    /// Begins an exchange, redirects included.
    ///
    /// - Parameter name: What the exchange is called; `nil` for one that nobody looks for after the death of the process.
    func start(_ plan: ExchangePlan, as ticket: Ticket, named name: ExchangeID?)
    /// Ends an exchange as soon as possible.
    func cancel(_ ticket: Ticket)
    /// Lets an exchange go on that reported `.head`, `.lastBytesHeld` or its first `.parts`.
    func release(_ ticket: Ticket, _ decision: ReleaseDecision)
    /// What an exchange has moved so far; `nil` when the ticket is unknown. Cheap: called ten times a second.
    func progress(of ticket: Ticket) -> ExchangeProgress?
    /// Changes the rate limit of a running exchange; `nil` removes it.
    func setRateLimit(_ bytesPerSecond: Int64?, of ticket: Ticket)
    /// Lets a running exchange move this many bytes of bodies in all, from its start; `nil` as many as there are. One that
    /// has moved them stands still and says `.allowanceUsed`, once for each allowance. It may be one buffer more.
    func setAllowance(_ bytes: Int64?, of ticket: Ticket)
    /// Whether a running exchange makes room for the traffic of others; see `ExchangePlan.yields`.
    func setYields(_ yields: Bool, of ticket: Ticket)
    /// How many connections a running download may use; 1 until this is called. It answers `.connectionsWanted`.
    func setConnections(_ most: Int, of ticket: Ticket)
    /// Links, addresses, or routes of this machine have changed: connections that have lost theirs
    /// are ended.
    func noteNetworkChanged()
    /// These partial files are about to be deleted, if they are some: what was kept for going on with them is not needed any more.
    func noteDiscarded(partials: [String])
    /// What the job's last event led to is on the disk: what was kept for the case that the process dies before is not needed
    /// any more.
    func noteSettled(_ ticket: Ticket)
    /// Ends everything and frees what is held, but for exchanges that outlive the process; no event is sent after it returns.
    func shutDown()
    /// The exchanges of processes that are gone. Asked once, before anything is started; each of them is then adopted or
    /// dropped.
    func survivors(_ reply: @escaping @Sendable ([SurvivingExchange]) -> Void)
    /// Takes a survivor over as the job of this ticket: its events follow, those included that came before.
    func adopt(_ exchange: ExchangeID, as ticket: Ticket)
    /// Ends a survivor that no record wants; nothing is told of it.
    func drop(_ exchange: ExchangeID)
    var traits: EngineTraits { get }
}

/// An engine whose exchanges die with its process has nothing to say to these, nor one that uses one
/// connection for each of them, or leaves the traffic to somebody else.
extension ExchangeEngine {
    package func setConnections(_ most: Int, of ticket: Ticket) {}
    package func setYields(_ yields: Bool, of ticket: Ticket) {}
    package func noteNetworkChanged() {}
    package func noteDiscarded(partials: [String]) {}
    package func noteSettled(_ ticket: Ticket) {}
    package func survivors(_ reply: @escaping @Sendable ([SurvivingExchange]) -> Void) { reply([]) }
    package func adopt(_ exchange: ExchangeID, as ticket: Ticket) {
        preconditionFailure("no exchange of this engine survives its process")
    }
    package func drop(_ exchange: ExchangeID) {}
    package var traits: EngineTraits { .ofProcess }
}

/// What touches files.
///
/// Every method returns at once. A job answers with exactly one ending event, which its `FileWork` names, through the sink given at
/// creation.
package protocol FileEngine: AnyObject, Sendable {
    /// Begins a job.
    func start(_ work: FileWork, as ticket: Ticket)
    /// Cuts a job short that may take long; its ending event still comes. Unknown tickets are ignored.
    func interrupt(_ ticket: Ticket)
    /// Finishes what is begun, with what may take long cut short, and frees what is held; no event is sent after it returns.
    func shutDown()
}

/// Names one job; never used twice within a process.
@usableFromInline package struct Ticket: Hashable, Sendable {
    @usableFromInline package var number: UInt64

    package init(_ number: UInt64) {
        self.number = number
    }

    /// Tickets are counted, and nobody else chooses them: one multiplication spreads them over a table.
    @inlinable package func _rawHashValue(seed: Int) -> Int {
        let product = (number ^ UInt64(truncatingIfNeeded: seed)).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return Int(truncatingIfNeeded: product.high ^ product.low)
    }
}

package struct EngineJob: Equatable, Sendable {
    package var ticket: Ticket
    package var work: EngineWork
    /// The exchange's name; `nil` for a job that nobody looks for after the death of the process.
    package var exchange: ExchangeID?

    package init(ticket: Ticket, work: EngineWork, exchange: ExchangeID? = nil) {
        self.ticket = ticket
        self.work = work
        self.exchange = exchange
    }
}

package indirect enum EngineWork: Equatable, Sendable {
    /// One HTTP exchange, redirects included. Ends with `.exchangeEnded`.
    case exchange(ExchangePlan)
    case files(FileWork)
}

package struct ExchangeProgress: Equatable, Sendable {
    /// Bytes of the request body handed to the network.
    package var sent: Int64
    /// Bytes of the response body received (for a partial file: won beyond what was there).
    package var received: Int64
    /// How long ago the last of these bytes was moved.
    package var quiet: Duration
    /// Whether nobody could tell, if it were stopped now, what came of a request that must not be repeated and has no answer.
    package var stopLeavesDoubt = false
    /// `nil` where no further connection could help.
    package var connections: ConnectionReport?

    package init(sent: Int64, received: Int64, quiet: Duration = .zero) {
        self.sent = sent
        self.received = received
        self.quiet = quiet
    }

    /// Both ways together.
    package var moved: Int64 { sent + received }
}

package enum ReleaseDecision: Equatable, Sendable {
    /// After `.head`: truncate the partial file and write this body from byte 0.
    case writeFromStart
    /// After `.head`: write this body from byte 0 to the partial file at this path. The one of the plan stays as it is.
    case writeBeside(String)
    /// After `.lastBytesHeld`: send the rest.
    case sendRest
    /// After the first `.parts`: the file may get holes.
    case openSegments
}
