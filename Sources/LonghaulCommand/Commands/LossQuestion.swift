import LonghaulCore

/// The question before a command that loses transferred bytes. Only a terminal asks it.
enum LossQuestion {
    enum Verb {
        case pause
        case cancel
        case remove
    }

    /// Returns whether the command may continue. Without a terminal it may, and a pause reports its loss.
    static func isAccepted(
        _ verb: Verb, of selection: TransferSelection, in session: SessionID, over service: any TransferService,
        _ arguments: Arguments, _ world: World
    ) async throws(TransferFailure) -> Bool {
        let asks = world.console.canRedraw
        guard ![Option.yes, .quiet, .json].contains(where: arguments.has), asks || verb == .pause else { return true }
        var harmed: [TransferSnapshot] = []
        let query = ListQuery(selection: selection, ended: verb == .remove)
        try await ListPages.forEach(query, in: session, over: service) {
            if verb.harms($0) { harmed.append($0) }
        }
        guard let first = harmed.first else { return true }
        let name = DisplayText.clean(first.name)
        let bytes = harmed.reduce(0) { $0 + $1.bytesDone }
        let sentence = verb.sentence(name, count: harmed.count, HumanText.bytes(bytes), hasBytes: bytes > 0)
        guard asks else {
            world.console.say("longhaul: " + sentence)
            return true
        }
        return try world.asks("\(sentence) \(verb.question)", emptyMeans: false)
    }
}

extension LossQuestion.Verb {
    fileprivate func harms(_ transfer: TransferSnapshot) -> Bool {
        switch self {
        case .pause: transfer.losesBytesWhenStopped && transfer.bytesDone > 0
        case .cancel: !transfer.state.isEnded
        case .remove: transfer.keepsPartialFile
        }
    }

    fileprivate var question: String {
        switch self {
        case .pause: tr("Pause anyway?")
        case .cancel: tr("Cancel?")
        case .remove: tr("Remove?")
        }
    }

    fileprivate func sentence(_ name: String, count: Int, _ bytes: String, hasBytes: Bool) -> String {
        switch self {
        case .pause where count == 1: tr("\(name) cannot be resumed: a pause loses \(bytes).")
        case .pause: tr("\(name) and \(count - 1) more cannot be resumed: a pause loses \(bytes).")
        case .cancel where !hasBytes && count == 1: tr("\(name) will be cancelled.")
        case .cancel where !hasBytes: tr("\(count) transfers will be cancelled.")
        case .cancel where count == 1: tr("\(name) will be cancelled and loses \(bytes).")
        case .cancel: tr("\(count) transfers will be cancelled and lose \(bytes).")
        case .remove where count == 1: tr("\(name) could be resumed by a retry; its removal loses \(bytes).")
        case .remove: tr("\(count) transfers could be resumed by a retry; their removal loses \(bytes).")
        }
    }
}

extension TransferSnapshot {
    /// Whether a failed download has a partial file from which a retry continues.
    var keepsPartialFile: Bool {
        guard case .failed = state else { return false }
        return direction == .download && bytesDone > 0
    }
}
