/// An event of a transfer.
package enum TransferEvent: Equatable, Sendable {
    /// A client sent a command.
    case command(ControlVerb)
    /// The queue granted a slot.
    case turnGranted
    /// The date that the transfer waited for passed.
    case due
    /// The resource timeout passed.
    case deadlinePassed
    /// No data was transferred for `progressTimeout`.
    case starved
    /// The network is available again.
    case networkReturned
    /// The clock of this machine was set.
    case clockChanged
    /// The clock of this machine was set forward or back by this time. Precedes `clockChanged`, and all events at the new time.
    case clockMoved(by: Duration)
    /// The store could not be written for this time, in which no transfer could continue. Precedes all other events at the new time.
    case storeReturned(after: Duration)
    /// The conditions, the allowed time window, or the budget forbid the transfer now; with `turn`, it gives its slot
    /// to another transfer.
    case withheld(Waiting.Reason, until: WallTime?)
    /// The conditions allow the transfer again, or the device is unlocked.
    case allowed
    /// The user or the app changed the transfer.
    case adjusted(TransferAdjustment)
    /// The credential is missing, and is being requested.
    case credentialsMissing
    /// No source has the credential.
    case credentialsUnavailable(TransferFailure)
    /// The credential is available.
    case credentialsGiven
    /// The user or the app replaced the URL.
    case replaced(Replacement)
    /// The new URL that the transfer waited for.
    case urlGiven(Replacement)
    /// The predecessor ended. With a failure, the transfer must not start.
    case predecessorEnded(TransferFailure?)
    /// The loop found the record at its start: the process that ran the transfer has ended.
    case recovered
    /// As `recovered`, but the exchange outlived that process.
    case survived(SurvivingExchange)
    /// As `recovered`, which follows, but the exchange is missing although it should have outlived that process.
    case vanished
    /// The engine is about to run the transfer by other means: the attempt stops at a synced offset and restarts there.
    case relocated
    /// An event of the current step.
    case engine(EngineEvent)
    /// A cleanup task was tried.
    case cleaned(CleanupTask, isDone: Bool)
    /// A file or upload was found that should have been cleaned up when the transfer ended.
    case leftoverFound(CleanupTask)
}

extension TransferEvent {
    /// Whether the event may stop the current step.
    package var mayStop: Bool {
        switch self {
        case .command(let verb): verb == .pause
        case .deadlinePassed, .starved, .withheld, .replaced, .relocated: true
        case .turnGranted, .due, .networkReturned, .clockChanged, .clockMoved, .storeReturned, .allowed, .adjusted,
            .credentialsMissing, .credentialsUnavailable, .credentialsGiven, .urlGiven, .predecessorEnded, .recovered,
            .survived, .vanished,
            .engine, .cleaned,
            .leftoverFound:
            false
        }
    }
}

/// Another URL, headers, or key for a transfer.
package struct Replacement: Equatable, Sendable {
    package var url: String
    /// `nil` to keep the headers.
    package var headers: [HeaderField]?
    /// A key to accept from now on.
    package var key: TrustedKey?

    package init(url: String, headers: [HeaderField]? = nil, key: TrustedKey? = nil) {
        self.url = url
        self.headers = headers?.map(\.guarded)
        self.key = key
    }
}

/// Facts about the environment that a machine may use in a decision.
package struct Moment: Equatable, Sendable {
    package var now: WallTime
    package var random: UInt64
    /// Changes with every boot.
    package var bootID: String
    /// The engine's statement that stopping the current exchange would leave the outcome of an unrepeatable request
    /// unknown. Set for events that may stop it.
    package var stopLeavesDoubt: Bool

    package init(now: WallTime, random: UInt64, bootID: String, stopLeavesDoubt: Bool = false) {
        self.now = now
        self.random = random
        self.bootID = bootID
        self.stopLeavesDoubt = stopLeavesDoubt
    }
}

/// An action of the loop after the commit. Each may happen twice.
package enum TransferAction: Equatable, Sendable {
    /// Start the transfer's only current step.
    case start(EngineWork)
    /// Stop the current step, whose ending event still arrives.
    case stop
    /// Make a surviving exchange the current step.
    case adopt(ExchangeID)
    /// Let the current exchange continue.
    case release(ReleaseDecision)
    /// Try a cleanup task; answered by `cleaned`.
    case clean(CleanupTask)
}

/// A machine's reaction to an event.
package struct Reaction: Equatable, Sendable {
    package var actions: [TransferAction]
    /// The reason why a command was refused.
    package var refusal: TransferFailure?

    package init(_ actions: [TransferAction] = [], refusal: TransferFailure? = nil) {
        self.actions = actions
        self.refusal = refusal
    }
}

/// The engine's current work for a running transfer. Not stored: after a crash, the attempt restarts from its first
/// step.
package enum TransferStep: Equatable, Sendable {
    /// Comparing the sources with their pins.
    case inspecting
    /// Querying the partial file's length.
    case measuring
    /// The download's exchange.
    indirect case downloading(ResumePoint?)
    /// Verifying the finished file and moving it into place.
    case placing
    /// Verifying the pieces of a file.
    case checking(PieceCheckReason)
    /// A raw or form upload, or a request.
    case sending
    /// tus: OPTIONS.
    case discovering(url: String)
    /// tus: POST.
    case creating
    /// tus: HEAD, after a PATCH whose response did not say how much is stored, if there was one.
    indirect case asking(after: TusConflict?)
    /// tus: PATCH from this offset; `sentBefore` is the highest offset that earlier requests tried to send.
    case patching(from: Int64, sentBefore: Int64)
    /// Stopping a step whose ending event is still to come.
    indirect case stopping(TransferStep)
}

/// The response to a PATCH that did not say how much of it the server stored.
package struct TusConflict: Equatable, Sendable {
    /// Where the PATCH began.
    let offset: Int64
    /// How many bytes it sent.
    let sent: Int64
    let head: ResponseHead
}

extension TransferStep {
    /// The offset at which a download resumes; `nil` for the whole file, and for other steps.
    var resume: ResumePoint? { if case .downloading(let resume) = self { resume } else { nil } }
}
