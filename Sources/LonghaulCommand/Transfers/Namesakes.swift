import LonghaulCore

/// Which transfer a name means that several have.
enum Namesakes {
    /// Those in one of the states, if there are any; of these the one that has not ended, if it is the only one:
    /// earlier downloads of the same file are not what is meant while one of them is under way.
    static func meant(of namesakes: [TransferSnapshot], among states: [String]) -> [TransferSnapshot] {
        let fitting = namesakes.filter { states.contains(StateText.word($0.state)) }
        let candidates = fitting.isEmpty ? namesakes : fitting
        let live = candidates.filter { !$0.state.isEnded }
        return live.count == 1 ? live : candidates
    }
}
