/// What stopping a transfer now and going on elsewhere would cost.
extension TransferMachine {
    /// Whether what has been moved so far can be gone on from, by this process or by another one.
    package var canResume: Bool {
        switch record.spec.work {
        case .upload(.tus): return true
        case .upload(.raw), .upload(.form), .request: return false
        case .download:
            let decision = ResumeLadder.plan(
                partialLength: 1, validators: record.facts.download.validators,
                hasTrustedDigest: record.hasDigest)
            return decision != .fromStart
        }
    }

    /// Whether an attempt is under way that cannot go on elsewhere: bytes would be moved twice, or a request would end
    /// with its outcome unknown.
    package var isHarmedByStopping: Bool {
        switch (record.state, record.spec.work) {
        case (_, .upload(.tus)): return false
        case (.running(.receiving), .download): return !canResume
        case (.running(.sending), _), (.awaitingResponse, _):
            return !isSafeToSendAgain || (record.facts.bytesTotal ?? 0) > 0
        case (.running, _), (.waiting, _), (.paused, _), (.succeeded, _), (.failed, _), (.cancelled, _): return false
        }
    }
}
