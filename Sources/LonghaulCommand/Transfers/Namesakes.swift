import LonghaulCore

/// The transfers that a name means if several have it.
enum Namesakes {
    /// Returns the transfers in one of the states, if there are any; of these the one that has not ended, if it is the only one,
    /// since a name rarely means an earlier download of the same file.
    static func meant(
        of namesakes: [TransferSnapshot], among states: [String], choosesNewest: Bool = false
    ) -> [TransferSnapshot] {
        let fitting = namesakes.filter { states.contains(StateText.word($0.state)) }
        let candidates = fitting.isEmpty ? namesakes : fitting
        let live = candidates.filter { !$0.state.isEnded }
        if live.count == 1 { return live }
        guard choosesNewest else { return candidates }
        return (live.isEmpty ? candidates : live).max { $0.sequence < $1.sequence }.map { [$0] } ?? []
    }
}
