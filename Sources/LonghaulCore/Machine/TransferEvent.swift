/// What can happen to a transfer.
package enum TransferEvent: Equatable, Sendable {
    /// A client asks.
    case command(ControlVerb)
    /// The queue gave it its turn.
    case turnGranted
    /// The date it waited for has come.
    case due
    /// Its resource time is over.
    case deadlinePassed
    /// No data moved for `progressTimeout`.
    case starved
    /// A network is there again.
    case networkReturned
    /// The clock of this machine was set.
    case clockChanged
    /// The conditions, the hours or the budget do not allow it to move bytes now; or, for its turn, it leaves its place to another one.
    case withheld(Waiting.Reason, until: WallTime?)
    /// What withheld it is over.
    case allowed
    /// A person changes it.
    case adjusted(TransferAdjustment)
    /// The credential is not there, and is asked for now.
    case credentialsMissing
    /// Nobody could give the credential.
    case credentialsUnavailable(TransferFailure)
    /// The credential is there.
    case credentialsGiven
    /// Somebody wants it to go on with another URL.
    case replaced(Replacement)
    /// The new URL that it waited for.
    case urlGiven(Replacement)
    /// The transfer that it follows has ended; with a failure, it is not to be begun.
    case predecessorEnded(TransferFailure?)
    /// The loop found the record at its start: the process that ran it is gone.
    case recovered
    /// The same, and its exchange has outlived that process.
    case survived(SurvivingExchange)
    /// The same, and the exchange, which should have outlived that process, is nowhere to be found. `recovered` follows.
    case vanished
    /// The engine is about to carry it by other means: the attempt stops at a safe byte and begins again there.
    case relocated
    /// The current step speaks.
    case engine(EngineEvent)
    /// A piece of cleaning up was tried.
    case cleaned(CleanupTask, isDone: Bool)
    /// Something was found that should have been tidied when the transfer ended.
    case leftoverFound(CleanupTask)
}

extension TransferEvent {
    /// Whether it may stop what is under way.
    package var mayStop: Bool {
        switch self {
        case .command(let verb): verb == .pause
        case .deadlinePassed, .starved, .withheld, .replaced, .relocated: true
        case .turnGranted, .due, .networkReturned, .clockChanged, .allowed, .adjusted, .credentialsMissing,
            .credentialsUnavailable, .credentialsGiven, .urlGiven, .predecessorEnded, .recovered, .survived, .vanished,
            .engine, .cleaned,
            .leftoverFound:
            false
        }
    }
}

/// Where a transfer goes on from now on.
package struct Replacement: Equatable, Sendable {
    package var url: String
    /// `nil` leaves the fields as they are.
    package var headers: [HeaderField]?
    /// A key that is accepted from now on.
    package var key: TrustedKey?

    package init(url: String, headers: [HeaderField]? = nil, key: TrustedKey? = nil) {
        self.url = url
        self.headers = headers?.map(\.guarded)
        self.key = key
    }
}

/// What a machine may use of the world when it decides.
package struct Moment: Equatable, Sendable {
    package var now: WallTime
    package var random: UInt64
    /// Changes with every start of the machine.
    package var bootID: String
    /// What the engine says of the present exchange: nobody could tell, if it was stopped now, what came of a request that must not be
    /// repeated. Known for an event that may stop it.
    package var stopLeavesDoubt: Bool

    package init(now: WallTime, random: UInt64, bootID: String, stopLeavesDoubt: Bool = false) {
        self.now = now
        self.random = random
        self.bootID = bootID
        self.stopLeavesDoubt = stopLeavesDoubt
    }
}

/// What the loop does after the commit. Each may happen twice.
package enum TransferAction: Equatable, Sendable {
    /// Begin the transfer's one current step.
    case start(EngineWork)
    /// End the current step; its ending event still comes.
    case stop
    /// Make a survivor the transfer's current step.
    case adopt(ExchangeID)
    /// Let the current exchange go on.
    case release(ReleaseDecision)
    /// Try to clean up; answered by `cleaned`.
    case clean(CleanupTask)
}

/// What a machine answers to an event.
package struct Reaction: Equatable, Sendable {
    package var actions: [TransferAction]
    /// Why a command was not obeyed.
    package var refusal: TransferFailure?

    package init(_ actions: [TransferAction] = [], refusal: TransferFailure? = nil) {
        self.actions = actions
        self.refusal = refusal
    }
}

/// What the engine is doing for a running transfer. Not stored: after a crash the attempt begins again from its first step.
package enum TransferStep: Equatable, Sendable {
    /// Comparing the sources with their pins.
    case inspecting
    /// Asking the partial file for its length.
    case measuring
    /// The download's exchange.
    indirect case downloading(ResumePoint?)
    /// Verifying and naming the finished file.
    case placing
    /// Looking at the pieces of a file.
    case checking(PieceCheckReason)
    /// A raw or form upload, or a request.
    case sending
    /// tus: OPTIONS.
    case discovering(url: String)
    /// tus: POST.
    case creating
    /// tus: HEAD.
    case asking
    /// tus: PATCH from this offset; how far earlier requests had tried to get.
    case patching(from: Int64, sentBefore: Int64)
    /// Told to stop; the ending event is still to come.
    indirect case stopping(TransferStep)
}
