import LonghaulCore

extension Option {
    static let chosenState = Option(
        "state", value: "STATE[,STATE]", "Select transfers in these states, separated by commas")
    static let olderThan = Option(
        "older-than", value: "TIME", "Select transfers older than TIME (since the end, otherwise the submission)")

    /// The options that choose transfers instead of IDs.
    static let selection: [Option] = [.chosenGroup, .allTransfers, .chosenState, .olderThan]
}

/// The transfers that `--state`, `--older-than`, and names select among those of a session or group.
struct TransferFilter: Sendable {
    private let states: Set<String>
    private let age: Duration?
    /// In lower case.
    private let words: [String]
    private let patterns: [IDPattern]

    /// - Parameter words: Parts of names or hosts, or IDs. A transfer has to match one of them.
    init(_ arguments: Arguments, words: [String] = []) throws(TransferFailure) {
        states = try Self.states(arguments.values(.chosenState))
        age = try arguments.span(.olderThan, allowsZero: true)
        self.words = words.map { $0.lowercased() }
        patterns = words.compactMap(IDPattern.init)
    }

    var isEmpty: Bool { states.isEmpty && age == nil && words.isEmpty }

    /// Whether all selected transfers have ended (`true`) or none has (`false`), as far as the states decide it.
    var ended: Bool? {
        guard !states.isEmpty else { return nil }
        let ends = states.count { StateText.endedWords.contains($0) }
        return ends == states.count ? true : ends == 0 ? false : nil
    }

    func selects(_ transfer: TransferSnapshot, at now: WallTime) -> Bool {
        selects(transfer.state) && (age.map { now - (transfer.endedAt ?? transfer.createdAt) >= $0 } ?? true)
            && (words.isEmpty || names(transfer))
    }

    private func selects(_ state: TransferState) -> Bool {
        if states.isEmpty || states.contains(Self.key(StateText.word(state))) { return true }
        if case .running(let phase) = state { return states.contains(StateText.word(phase)) }
        return false
    }

    private func names(_ transfer: TransferSnapshot) -> Bool {
        let texts = [transfer.name.lowercased(), transfer.host.lowercased()]
        return words.contains { word in texts.contains { $0.contains(word) } || transfer.key?.lowercased() == word }
            || patterns.contains { $0.matches(transfer.id) }
    }

    private static func states(_ texts: [String]) throws(TransferFailure) -> Set<String> {
        var states: Set<String> = []
        for word in texts.flatMap({ $0.split(separator: ",") }) {
            guard let state = state(String(word)) else {
                let all = StateText.words + StateText.phaseWords
                throw .usage("There is no state \"\(word)\". The states are \(all.joined(separator: ", ")).")
            }
            states.insert(state)
        }
        guard !states.isEmpty || texts.isEmpty else { throw .usage("--state needs a state.") }
        return states
    }

    /// Returns the state that a user means by a word, in the form of `key`.
    static func state(_ word: String) -> String? {
        let key = key(word)
        switch key {
        case "done", "finished": return "succeeded"
        case "canceled": return "cancelled"
        default: return (StateText.words + StateText.phaseWords).map(Self.key).contains(key) ? key : nil
        }
    }

    private static func key(_ word: String) -> String {
        word.lowercased().filter { !" -_".contains($0) }
    }
}

extension TransferSnapshot {
    /// The host in use, without the port: that of the URL, or of a mirror.
    var host: Substring {
        let url = mirrorURL ?? url
        guard let scheme = url.firstRange(of: "://") else { return "" }
        let site = url[scheme.upperBound...].prefix { $0 != "/" }
        // The colons of an IPv6 address are inside its brackets.
        guard let colon = site.lastIndex(of: ":"), !site[colon...].contains("]") else { return site }
        return site[..<colon]
    }
}
