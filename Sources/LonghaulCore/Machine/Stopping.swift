/// The cost of stopping a transfer and continuing it elsewhere.
extension TransferMachine {
    /// Whether this or another process can resume from the current progress.
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

    /// Whether stopping harms the current attempt: bytes would be transferred twice, or a request would end with an unknown outcome.
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
