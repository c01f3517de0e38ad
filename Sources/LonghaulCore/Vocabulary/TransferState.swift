/// The state of a transfer. `docs/internals/state-machine.md` has the diagram.
@nonexhaustive public enum TransferState: Equatable, Sendable {
    /// The transfer waits. ``Waiting`` contains the reason and the time.
    case waiting(Waiting)
    /// An attempt is in progress.
    case running(Phase)
    /// The whole body may have been sent, and no final response has been received. Longhaul never repeats the
    /// request blindly.
    case awaitingResponse
    /// The transfer is paused until it is resumed.
    case paused
    /// The transfer succeeded. Its result is kept until the transfer is removed.
    case succeeded
    /// The transfer failed. A retry continues from the last synced offset.
    indirect case failed(TransferFailure)
    /// The transfer was cancelled.
    case cancelled

    /// The phase of a running attempt.
    @nonexhaustive public enum Phase: Equatable, Sendable {
        /// Inspects files, creates the upload, or queries the server for its offset.
        case preparing
        /// Sends the request body.
        case sending
        /// Receives the response body.
        case receiving
        /// Verifies the complete file and moves it into place.
        case verifying
    }

    /// Longhaul calls a queued transfer waiting, for the reason `turn`.
    @available(*, unavailable, message: "Use the pattern `case .waiting`, which has the reason.")
    public static var queued: TransferState { .waiting(Waiting(.turn, since: WallTime(seconds: 0))) }

    /// Whether the transfer has ended.
    public var isEnded: Bool {
        switch self {
        case .succeeded, .failed, .cancelled: true
        case .waiting, .running, .awaitingResponse, .paused: false
        }
    }
}

extension TransferState {
    /// The reason why a transfer waits.
    public struct Waiting: Equatable, Sendable {
        /// The kinds of reasons to wait.
        @nonexhaustive public enum Reason: Equatable, Sendable, CaseIterable {
            /// A limit of the session, the host, or the group is reached, or the host requested a pause
            /// (`Retry-After`).
            case turn
            /// The start time (`earliestBeginDate`) has not come.
            case notBefore
            /// A temporary failure; retried at `until`. Without `until`, the session's store cannot be written.
            case retry
            /// There is no network. Retried when there is one, or at `until`.
            case network
            /// The disk is full; retried at `until`. Without `until`, it is the disk of the session's store.
            case diskSpace
            /// Longhaul requests the named credential. With a failure, no source has the credential: the app,
            /// a helper, or `retry` continues the transfer.
            case credentials
            /// The server requested a pause (`Retry-After`): not before `retryAfter`, and at `until`.
            case serverBusy
            /// The network is metered and the rules forbid that. Continues on a network that is not metered.
            case metered
            /// The connection is in data-saver mode and the rules forbid that.
            case constrained
            /// The mobile network is roaming and the rules forbid that.
            case roaming
            /// The rules require external power.
            case power
            /// The battery is low and the transfer is discretionary, or the battery is below the required
            /// level.
            case battery
            /// The allowed time window has not started.
            case hours
            /// The data budget for metered networks is used up. Continues the next day or month, or on a
            /// network that is not metered.
            case budget
            /// The machine is about to sleep or to shut down. Continues when the machine is awake.
            case sleep
            /// The predecessor has not ended.
            case predecessor
            /// The rules forbid this kind of link.
            case link
            /// The rules require an idle machine, and the machine is in use.
            case idle
            /// A certificate or a signature is not valid yet by this machine's clock. Retried when the clock
            /// is set, or at `until`.
            case clock
            /// The drive or share of the directory is not mounted. Checked again at `until`.
            case mount
            /// The device is locked, which makes the file to upload unreadable. Continues when the user unlocks the device.
            case unlock
        }

        /// The kind of the reason.
        public var reason: Reason
        /// When the wait started.
        package var since: WallTime
        /// The time of the next automatic attempt; `nil` if an event ends the wait.
        public var until: WallTime?
        /// The time that the server requested (`Retry-After`); only with `serverBusy`. Other transfers with
        /// the host wait until then. `until` adds this transfer's own back-off.
        package var retryAfter: WallTime?
        /// The failure that caused the wait.
        public var failure: TransferFailure? {
            get { sharedFailure?.value }
            set { sharedFailure = newValue.map { CopyOnWrite($0) } }
        }
        private var sharedFailure: CopyOnWrite<TransferFailure>?

        /// Whether Longhaul is querying a helper or the app for the credential, so that the user need not
        /// act.
        package var isBeingAnswered: Bool { reason == .credentials && failure == nil }

        /// Initializes a reason.
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
}

package typealias Waiting = TransferState.Waiting

extension TransferState: CustomStringConvertible {
    /// The state as an English sentence.
    public var description: String {
        switch self {
        case .waiting(let waiting): waiting.description
        case .running(.preparing): "Preparing."
        case .running(.sending): "Sending."
        case .running(.receiving): "Receiving."
        case .running(.verifying): "Verifying the file."
        case .awaitingResponse: "Waiting for the response."
        case .paused: "Paused."
        case .succeeded: "Succeeded."
        case .failed(let failure): "Failed: \(failure.message)"
        case .cancelled: "Cancelled."
        }
    }
}

extension TransferState.Waiting: CustomStringConvertible {
    /// The reason as an English sentence, with the failure that led to it.
    public var description: String {
        let reason = "Waiting \(purpose)."
        return failure.map { "\(reason) \($0.message)" } ?? reason
    }

    private var purpose: String {
        switch reason {
        case .turn: "for other transfers to finish"
        case .notBefore: "for its start time"
        case .retry: "to retry"
        case .network: "for a network"
        case .diskSpace: "for disk space"
        case .credentials: "for credentials"
        case .serverBusy: "because the server is busy"
        case .metered: "for an unmetered network"
        case .constrained: "for a network without data saver"
        case .roaming: "for a network without roaming"
        case .power: "for external power"
        case .battery: "for the battery to charge"
        case .hours: "for its allowed hours"
        case .budget: "because the data budget is used up"
        case .sleep: "for the machine to wake"
        case .predecessor: "for another transfer to end"
        case .link: "for an allowed kind of network"
        case .idle: "for the machine to be idle"
        case .clock: "for the clock to be set"
        case .mount: "for a drive to be mounted"
        case .unlock: "for the device to be unlocked"
        }
    }
}
