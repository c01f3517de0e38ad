/// Evidence of how much of a body has been sent, over all attempts that the system makes automatically. The system
/// reports no attempts to a process that is not running, and counts only the bytes of the last attempt.
struct BodyWitness: Equatable {
    enum Visibility: Equatable {
        /// The task was not resumed yet.
        case nothingLeft
        /// This process runs the task: there is one attempt, and its counts are exact.
        case everyByte
        /// The system runs the task, even while the process is suspended or not running.
        case gaps
    }

    var sight: Visibility
    /// Whether this process was notified that the whole body was sent.
    var wasOut = false
    /// Whether bytes of the task may have been transferred: this process was notified of some, or did not start the task.
    var hasMoved = true
    /// Whether the task continues an earlier task's upload. It is unknown whether the system counts those bytes too.
    var goesOn = false

    mutating func release(in lane: SystemEngine.Lane) { sight = lane == .front && !goesOn ? .everyByte : .gaps }

    /// Whether the complete request may have reached a server, if its task ended without a response and reported `sent` bytes.
    /// `neverConnected`: the last attempt found no server. `isAhead`: the time before which the system does not start is in the future.
    func mayHaveArrived(sent: Int64, of length: Int64, neverConnected: Bool, isAhead: Bool) -> Bool {
        switch sight {
        case .nothingLeft: false
        case .everyByte: wasOut || sent >= length && (length > 0 || !neverConnected)
        case .gaps: sent > 0 || !isAhead
        }
    }
}
