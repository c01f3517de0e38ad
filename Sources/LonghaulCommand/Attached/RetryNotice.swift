import LonghaulCore

/// A notice, once in a command, that Longhaul retries a failed transfer, and how to end that. Users of other programs expect the
/// transfer to fail.
struct RetryNotice {
    private var isShown = false

    mutating func sentence(about transfer: TransferSnapshot, in session: SessionID, endsWithCommand: Bool) -> String? {
        guard !isShown, case .waiting(let waiting) = transfer.state, waiting.failure != nil,
            let plan = Self.plan(waiting, transfer)
        else { return nil }
        isShown = true
        let end =
            endsWithCommand
            ? tr("Ctrl-C ends it.")
            : tr("Ctrl-C leaves it to the service. To end it, run \(session.hint("cancel", transfer.id)).")
        return plan + " " + end
    }

    private static func plan(_ waiting: Waiting, _ transfer: TransferSnapshot) -> String? {
        let name = DisplayText.clean(transfer.name)
        switch waiting.reason {
        case .retry, .serverBusy:
            switch transfer.attemptsLeft {
            case nil: return tr("Retrying \(name) automatically.")
            case 1: return tr("Retrying \(name) automatically, once more (--retry).")
            case let count?: return tr("Retrying \(name) automatically, up to \(count) more times (--retry).")
            }
        case .network: return tr("\(name) waits for the network and then continues, without using a retry.")
        case .turn, .notBefore, .diskSpace, .clock, .credentials, .metered, .constrained, .roaming, .power, .battery,
            .hours,
            .budget, .sleep, .predecessor, .link, .idle, .mount, .unlock:
            return nil
        }
    }
}

/// A notice that a download continues from another source after a certificate failure, which may be an attack.
struct MirrorNotice {
    private var shown: [TransferID: String] = [:]

    mutating func sentence(about transfer: TransferSnapshot) -> String? {
        guard let rejected = transfer.rejectedURL, let mirror = transfer.mirrorURL ?? transfer.otherURL(than: rejected)
        else { return nil }
        let name = DisplayText.clean(transfer.name)
        let sentence = tr(
            "\(name): \(Self.endpoint(rejected)): certificate rejected; continues from \(Self.endpoint(mirror)).")
        if case .failed = transfer.state { return nil }
        return shown.updateValue(sentence, forKey: transfer.id) == sentence ? nil : sentence
    }

    private static func endpoint(_ url: String) -> String {
        DisplayText.clean((try? TransferURL(parsing: url))?.site ?? url)
    }
}

extension TransferSnapshot {
    /// The URL of the transfer, if it is not this source.
    fileprivate func otherURL(than source: String) -> String? { url == source ? nil : url }
}
