/// What is known of how far a body has come, over all the tries that the system makes of its own accord: of those it tells nobody who
/// is not there, and it counts the bytes of the last one only.
struct BodyWitness: Equatable {
    enum Sight: Equatable {
        /// The task was not let go yet.
        case nothingLeft
        /// It is in the process's own hands: there is one try, and its counts are the truth.
        case everyByte
        /// The system has it, also while no process is there or while one stands still.
        case gaps
    }

    var sight: Sight
    /// Whether this process has heard that all of it was out.
    var wasOut = false
    /// It goes on with what another task has sent. Whether the system counts that as well is not known.
    var goesOn = false

    mutating func letGo(in lane: SystemEngine.Lane) { sight = lane == .front && !goesOn ? .everyByte : .gaps }

    /// Whether all of the request may be at a server, when its task has ended without an answer and said that so much was sent.
    /// `neverConnected`: the last try found no server. `isAhead`: the date before which the system does not begin has not come.
    func mayHaveArrived(sent: Int64, of length: Int64, neverConnected: Bool, isAhead: Bool) -> Bool {
        switch sight {
        case .nothingLeft: false
        case .everyByte: wasOut || sent >= length && (length > 0 || !neverConnected)
        case .gaps: sent > 0 || !isAhead
        }
    }
}
