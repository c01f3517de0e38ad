/// What moves bytes and touches files on behalf of the loop.
///
/// Every method returns at once. The results of jobs come as events, in order for each ticket, through the sink
/// given at creation; a job answers with exactly one ending event, also after `cancel`.
package protocol Engine: AnyObject, Sendable {
    /// Begins a job.
    func start(_ job: EngineJob)
    /// Ends a job as soon as possible; its ending event still comes. Unknown tickets are ignored.
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
extension Engine {
    package func setConnections(_ most: Int, of ticket: Ticket) {}
    package func setYields(_ yields: Bool, of ticket: Ticket) {}
    package func noteSettled(_ ticket: Ticket) {}
    package func survivors(_ reply: @escaping @Sendable ([SurvivingExchange]) -> Void) { reply([]) }
    package func adopt(_ exchange: ExchangeID, as ticket: Ticket) {
        preconditionFailure("no exchange of this engine survives its process")
    }
    package func drop(_ exchange: ExchangeID) {}
    package var traits: EngineTraits { .ofProcess }
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
    /// Looks at the source files. Ends with `.sourcesInspected`.
    case inspectSources([String])
    /// Asks how many bytes a partial file holds. Ends with `.partialMeasured`; `.checkpoint` comes before where the file has got its name
    /// already, and so is on stable storage. With `copying` the partial file is made anew before, as a copy of that file on stable storage.
    case measurePartial(path: String, directory: String, copying: SourceFile? = nil)
    /// Compares the pieces of a file with their digests. Ends with `.piecesChecked`.
    case checkPieces(PieceCheck)
    /// Verifies a complete partial file and gives it its name. Ends with `.placed`.
    case place(PlacePlan)
    /// Deletes files that are there; absent ones are fine. Ends with `.discarded`.
    case discard([String])
}

/// How a complete download becomes the finished file.
///
/// The engine checks the length and the digests, syncs the file, links it under the first free name without
/// replacing anything, and syncs the directory. The partial file stays until `.discard`, so that doing it twice
/// finds by the inode that the name is already ours. A body that the engine holds is written first, where that is possible to a
/// file without a name, which carries the transfer's identifier for the same purpose and leaves no partial file; one that is in
/// the partial file already, and has its name, is not written again.
package struct PlacePlan: Equatable, Sendable {
    package var id: TransferID
    package var partialPath: String
    package var directory: String
    package var fileName: String
    package var collision: TransferSpec.Collision
    package var length: Int64?
    package var digests: [Digest]
    /// Whether no other process can have worked on the transfer: then the engine knows whether there is a partial file.
    package var isOwn = false
    /// What is taken from the permissions of the file; `nil` takes what this process has.
    package var creationMask: Int?
    /// When the file counts as changed last; `nil` for the moment at which it was written.
    package var modified: WallTime?
    /// The signature that the file must have.
    package var signature: DetachedSignature?

    package init(
        id: TransferID, partialPath: String, directory: String, fileName: String, collision: TransferSpec.Collision,
        length: Int64?, digests: [Digest]
    ) {
        self.id = id
        self.partialPath = partialPath
        self.directory = directory
        self.fileName = fileName
        self.collision = collision
        self.length = length
        self.digests = digests
    }
}

/// A download that has got its name.
package struct PlacedFile: Equatable, Sendable {
    package var path: String
    /// Whether the partial file is there as well, and is to be tidied.
    package var leavesPartialFile: Bool

    package init(path: String, leavesPartialFile: Bool) {
        self.path = path
        self.leavesPartialFile = leavesPartialFile
    }
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
    /// After `.lastBytesHeld`: send the rest.
    case sendRest
    /// After the first `.parts`: the file may get holes.
    case openSegments
}
