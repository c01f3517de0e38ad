import LonghaulCore

/// The events of an attached command.
enum AttachedEvent: Sendable {
    case answered([Order], [SubmissionAnswer])
    case submissionEnded(TransferFailure?)
    case update(WatchUpdate)
    case notice(String)
    /// The watch has ended and is not retried.
    case watchFailed(TransferFailure)
    case signal(Signal)
    /// No more output goes to standard output.
    case outputEnded(BodyOutput.End)
    case tick
}
