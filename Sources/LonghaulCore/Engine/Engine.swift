/// Transfers bytes and accesses files for the loop, in two independent halves.
///
/// Both send their events to the sink given at their creation, and share one sequence of tickets.
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
            if case .discard(let paths) = work { exchanges.recordDiscarded(partials: paths) }
            files.start(work, as: job.ticket)
        }
    }

    /// Ends a job as soon as possible; its ending event still comes. Unknown tickets are ignored.
    package func cancel(_ ticket: Ticket) {
        exchanges.cancel(ticket)
        files.interrupt(ticket)
    }

    /// Ends everything and frees resources, except exchanges that outlive the process; no event follows its return.
    package func shutDown() {
        exchanges.shutDown()
        files.shutDown()
    }
}

/// Transfers bytes over HTTP.
///
/// Every method returns at once. The events of an exchange go to the sink given at creation, in order for each ticket. An exchange
/// sends exactly one `.exchangeEnded`, even after `cancel`. Unknown tickets are ignored.
package protocol ExchangeEngine: AnyObject, Sendable {
    /// Begins an exchange, redirects included.
    ///
    /// - Parameter name: The exchange's ID; `nil` if it cannot outlive the process.
    func start(_ plan: ExchangePlan, as ticket: Ticket, named name: ExchangeID?)
    /// Ends an exchange as soon as possible.
    func cancel(_ ticket: Ticket)
    /// Continues an exchange that reported `.head`, `.lastBytesHeld`, or its first `.parts`.
    func release(_ ticket: Ticket, _ decision: ReleaseDecision)
    /// Returns the progress of an exchange so far; `nil` if the ticket is unknown. Cheap: called ten times a second.
    func progress(of ticket: Ticket) -> ExchangeProgress?
    /// Changes the rate limit of a running exchange; `nil` removes it.
    func setRateLimit(_ bytesPerSecond: Int64?, of ticket: Ticket)
    /// Limits the body bytes of a running exchange, counted from its start; `nil` for no limit. At the limit the exchange stalls
    /// and sends `.allowanceUsed`, once for each allowance. It may exceed the limit by one buffer.
    func setAllowance(_ bytes: Int64?, of ticket: Ticket)
    /// Sets whether a running exchange yields to other traffic; see `ExchangePlan.yields`.
    func setYields(_ yields: Bool, of ticket: Ticket)
    /// Sets how many connections a running download may use; 1 until this is called. The exchange sends `.connectionsWanted`.
    func setConnections(_ most: Int, of ticket: Ticket)
    /// Links, addresses, or routes of this machine have changed: connections that lost theirs are closed.
    func reportNetworkChange()
    /// These partial files, if any, are about to be deleted, so the data for resuming them is no longer needed.
    func recordDiscarded(partials: [String])
    /// The result of the job's last event is on disk, so the data for recovery from a crash is no longer needed.
    func recordSettled(_ ticket: Ticket)
    /// Ends everything and frees resources, except exchanges that outlive the process; no event follows its return.
    func shutDown()
    /// Reports the exchanges of processes that have ended. Called once, before anything starts; each of them is then adopted or
    /// dropped.
    func survivors(_ reply: @escaping @Sendable ([SurvivingExchange]) -> Void)
    /// Takes over a survivor as the job of this ticket: its events follow, including earlier ones.
    func adopt(_ exchange: ExchangeID, as ticket: Ticket)
    /// Ends a survivor that no record wants; it sends no events.
    func drop(_ exchange: ExchangeID)
    var traits: EngineTraits { get }
}

/// Defaults for an engine whose exchanges end with its process, and use one connection each.
extension ExchangeEngine {
    package func setConnections(_ most: Int, of ticket: Ticket) {}
    package func setYields(_ yields: Bool, of ticket: Ticket) {}
    package func reportNetworkChange() {}
    package func recordDiscarded(partials: [String]) {}
    package func recordSettled(_ ticket: Ticket) {}
    package func survivors(_ reply: @escaping @Sendable ([SurvivingExchange]) -> Void) { reply([]) }
    package func adopt(_ exchange: ExchangeID, as ticket: Ticket) {
        preconditionFailure("no exchange of this engine survives its process")
    }
    package func drop(_ exchange: ExchangeID) {}
    package var traits: EngineTraits { .ofProcess }
}

/// Accesses files.
///
/// Every method returns at once. A job sends exactly one ending event, which its `FileWork` names, to the sink given at creation.
package protocol FileEngine: AnyObject, Sendable {
    /// Begins a job.
    func start(_ work: FileWork, as ticket: Ticket)
    /// Aborts a long job; its ending event still comes. Unknown tickets are ignored.
    func interrupt(_ ticket: Ticket)
    /// Finishes or aborts the running jobs and frees resources; no event follows its return.
    func shutDown()
}

/// Identifies one job; unique within a process.
@usableFromInline package struct Ticket: Hashable, Sendable {
    @usableFromInline package var number: UInt64

    package init(_ number: UInt64) {
        self.number = number
    }

    /// Tickets are consecutive numbers from trusted code: one multiplication spreads them over a table.
    @inlinable package func _rawHashValue(seed: Int) -> Int {
        let product = (number ^ UInt64(truncatingIfNeeded: seed)).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return Int(truncatingIfNeeded: product.high ^ product.low)
    }
}

package struct EngineJob: Equatable, Sendable {
    package var ticket: Ticket
    package var work: EngineWork
    /// The exchange's ID; `nil` for a job that cannot outlive the process.
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
    /// Bytes of the response body received; for a partial file, those beyond its earlier length.
    package var received: Int64
    /// Time since the last of these bytes.
    package var quiet: Duration
    /// Whether stopping it now leaves it unknown whether the server processed a request that must not be repeated.
    package var stopLeavesDoubt = false
    /// `nil` if further connections cannot help.
    package var connections: ConnectionReport?
    /// The response whose body a download is receiving; `nil` before that.
    package var response: AcceptedResponse?

    /// The status of a response, and the announced length of the file.
    package struct AcceptedResponse: Equatable, Sendable {
        package var status: Int
        package var length: Int64?

        package init(status: Int, length: Int64?) {
            self.status = status
            self.length = length
        }
    }

    package init(sent: Int64, received: Int64, quiet: Duration = .zero) {
        self.sent = sent
        self.received = received
        self.quiet = quiet
    }

    /// Bytes in both directions.
    package var moved: Int64 { sent + received }
}

package enum ReleaseDecision: Equatable, Sendable {
    /// After `.head`: truncate the partial file and write this body from byte 0.
    case writeFromStart
    /// After `.head`: write this body from byte 0 to the partial file at this path. The plan's own file stays unchanged.
    case writeBeside(String)
    /// After `.lastBytesHeld`: send the rest.
    case sendRest
    /// After the first `.parts`: the file may get holes.
    case openSegments
}
