/// Where a transfer is in its life. `docs/states.md` has the diagram.
public enum TransferState: Equatable, Sendable {
    /// Nothing moves; `reason` says why, since when, and what releases it.
    case waiting(Waiting)
    /// An attempt is under way.
    case running(Phase)
    /// The body may have left completely and no final response came. It is never restarted blindly.
    case awaitingResponse
    /// Stopped by request until it is resumed.
    case paused
    /// Done. The result is kept until the transfer is removed.
    case succeeded
    /// Ended by a failure; `retry` starts it again from its last safe byte.
    indirect case failed(TransferFailure)
    /// Ended by request.
    case cancelled

    /// What a running attempt is doing.
    public enum Phase: Int, Equatable, Sendable {
        /// Looking at files, creating the upload, asking the server for its offset.
        case preparing = 0
        /// The request body is on its way.
        case sending = 1
        /// The response body is arriving.
        case receiving = 2
        /// The bytes are complete and are being checked and put in place.
        case verifying = 3
    }

    /// Whether the transfer has ended.
    public var isEnded: Bool {
        switch self {
        case .succeeded, .failed, .cancelled: true
        case .waiting, .running, .awaitingResponse, .paused: false
        }
    }
}

/// The one reason why a transfer waits.
public struct Waiting: Equatable, Sendable {
    /// Why a transfer waits.
    public enum Reason: Int, Equatable, Sendable, CaseIterable {
        /// Its turn has not come: a limit in all, for its host or for its group is reached, or its host asked to be left
        /// alone until a date.
        case turn = 0
        /// Its `earliestBeginDate` has not come.
        case notBefore = 1
        /// A failure that may pass; tried again at `until`.
        case retry = 2
        /// There is no network; tried again when there is, or at `until`.
        case network = 3
        /// The disk is full; tried again at `until`.
        case diskSpace = 4
        /// The transfer's named credential is asked for, or, with a failure, nobody could give it: then the app, a helper
        /// or `retry` releases it.
        case credentials = 5
        /// The server stated when to retry (`Retry-After`): not before ``Waiting/retryAfter``, and at `until`.
        case serverBusy = 6
        /// The network is metered and the rules do not allow that; released by a network that is not.
        case metered = 7
        /// The connection is in data-saver mode, and the rules respect that.
        case constrained = 8
        /// The mobile network is roaming, and the rules do not allow that.
        case roaming = 9
        /// The rules require external power.
        case power = 10
        /// The battery is low, and the transfer is discretionary; or it is less full than the rules require.
        case battery = 11
        /// Its hours have not come; until their beginning.
        case hours = 12
        /// The data budget for metered networks is used up; until the next day or month, or a network that is not metered.
        case budget = 13
        /// The machine is about to sleep or to shut down; released when it is awake again.
        case sleep = 14
        /// The transfer that it follows has not ended.
        case predecessor = 15
        /// The rules do not allow this kind of link.
        case link = 16
        /// Somebody uses the machine, and the rules want it idle.
        case idle = 17
        /// A certificate or a signature is not valid yet by the clock of this machine; released when the clock is
        /// set, or at `until`.
        case clock = 18
        /// The drive or share that holds the directory is not mounted; checked again at `until`.
        case mount = 19
    }

    /// Why.
    public var reason: Reason
    /// Since when.
    public var since: WallTime
    /// When it is tried again by itself; `nil` when something else releases it.
    public var until: WallTime?
    /// The time that the server stated (`Retry-After`); only with `serverBusy`. Other transfers with
    /// the host wait until then. `until` is later by this transfer's own back-off.
    public var retryAfter: WallTime?
    /// The failure that led here, if one did.
    public var failure: TransferFailure? {
        get { sharedFailure?.value }
        set { sharedFailure = newValue.map { CopyOnWrite($0) } }
    }
    private var sharedFailure: CopyOnWrite<TransferFailure>?

    /// Whether a helper or the app is being asked for the credential at this moment, so that nobody else need act.
    package var isBeingAnswered: Bool { reason == .credentials && failure == nil }

    /// States a reason.
    package init(
        _ reason: Reason, since: WallTime, until: WallTime? = nil, retryAfter: WallTime? = nil,
        failure: TransferFailure? = nil
    ) {
        self.reason = reason
        self.since = since
        self.until = until
        self.retryAfter = retryAfter
        sharedFailure = failure.map { CopyOnWrite($0) }
    }
}
