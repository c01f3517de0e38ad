import LonghaulCore

/// What an attached command waits for.
enum AttachedEvent: Sendable {
    case answered([Order], [SubmissionAnswer])
    case submissionEnded(TransferFailure?)
    case update(WatchUpdate)
    case notice(String)
    /// Watching is over for good.
    case watchFailed(TransferFailure)
    case signal(Signal)
    /// Nothing more goes to standard output.
    case outputEnded(BodyOutput.End)
    case tick
}
