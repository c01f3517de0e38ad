import LonghaulCore
import LonghaulIPC

// The stable JSON forms of docs/reference/json.md. Members are added, never renamed or left out.

extension JSONWriter {
    mutating func transfer(_ transfer: TransferSnapshot) {
        object { $0.members(of: transfer) }
    }

    mutating func members(of transfer: TransferSnapshot) {
        member("id", transfer.id.description)
        member("sequence", transfer.sequence)
        member("key", transfer.key)
        member("group", transfer.group ?? "")
        member("direction", Self.word(transfer.direction))
        member("method", transfer.method)
        member("url", transfer.url)
        member("name", transfer.name)
        member("path", transfer.path)
        state(transfer)
        member("priority", transfer.priority)
        member("bytesDone", transfer.bytesDone)
        member("bytesTotal", transfer.bytesTotal)
        member("rate", transfer.rate)
        member("attempts", transfer.attempts)
        member("isLengthUnverified", transfer.isLengthUnverified)
        member("createdAt", transfer.createdAt)
        member("startedAt", transfer.startedAt)
        member("endedAt", transfer.endedAt)
        member("status", transfer.status)
        member("resultURL", transfer.resultURL)
    }

    mutating func failure(_ key: String, _ failure: TransferFailure?) {
        guard let failure else { return member(key, nil as String?) }
        object(key) { $0.members(of: failure) }
    }

    mutating func members(of failure: TransferFailure) {
        member("code", failure.code.rawValue)
        member("message", failure.message)
        object("origin") { json in
            switch failure.origin {
            case .longhaul: json.origin("longhaul", nil)
            case .curl(let number): json.origin("curl", number)
            case .status(let number): json.origin("status", number)
            case .system(let number): json.origin("system", number)
            case .sqlite(let number): json.origin("sqlite", number)
            }
        }
        guard let certificate = failure.certificate else { return }
        object("certificate") { $0.members(of: certificate) }
    }

    mutating func members(of certificate: ServerCertificate) {
        member("origin", certificate.origin)
        member("subject", certificate.subject)
        member("issuer", certificate.issuer)
        member("validFrom", certificate.validFrom)
        member("validUntil", certificate.validUntil)
        member("fingerprint", certificate.fingerprint)
        member("publicKey", certificate.publicKey)
    }

    mutating func members(of entry: HistoryEntry) {
        member("number", entry.number)
        member("at", entry.at)
        member("event", entry.event)
        member("detail", entry.detail)
        member("bytesDone", entry.bytesDone)
    }

    mutating func members(of totals: SessionTotals) {
        member("waiting", totals.waiting)
        member("running", totals.running)
        member("paused", totals.paused)
        member("succeeded", totals.succeeded)
        member("failed", totals.failed)
        member("cancelled", totals.cancelled)
    }

    mutating func members(of session: SessionSummary) {
        member("id", session.id.description)
        failure("trouble", session.trouble)
        object("totals") { $0.members(of: session.totals) }
    }

    mutating func members(of detail: TransferDetail) {
        members(of: detail.snapshot)
        headers("headers", detail.headers)
        failure("lastFailure", detail.lastFailure)
        member("notRetriedBecause", detail.notRetriedBecause.map(RetryEndText.word))
        member("restarts", detail.restarts)
        member("restartReason", detail.snapshot.restartReason?.text)
        member("bytesKept", detail.bytesKept)
        object("conditions") { $0.members(of: detail.options.conditions) }
        member("rateLimit", detail.options.rateLimit)
        member("ignoresConditions", detail.ignoresConditions)
        member("credential", detail.options.credential?.description)
        if let connections = detail.connections {
            object("connections") {
                $0.member("count", connections.count)
                $0.member("reason", "\(connections.reason)")
            }
        } else {
            member("connections", nil as String?)
        }
        array("mirrors") { json in
            for mirror in detail.mirrors {
                json.object {
                    $0.member("url", mirror.url)
                    $0.member("bytes", mirror.bytes)
                    $0.member("rate", mirror.rate)
                    $0.member("standing", MirrorText.word(mirror.standing))
                    $0.member("isAsked", mirror.isAsked)
                    $0.failure("failure", mirror.failure)
                }
            }
        }
        guard let response = detail.response else { return member("response", nil as String?) }
        object("response") { json in
            json.member("status", response.status)
            json.member("url", response.url.isEmpty ? nil : HeaderField("Location", response.url).shown.value)
            json.member("location", response.location.map { HeaderField("Location", $0).shown.value })
            json.headers("headers", response.headers)
            json.member("body", String(decoding: response.body, as: UTF8.self))
            json.member("isTruncated", response.isTruncated)
        }
    }

    private mutating func headers(_ key: String, _ fields: [HeaderField]) {
        array(key) { json in
            for field in fields.map(\.shown) {
                json.object {
                    $0.member("name", field.name); $0.member("value", field.value)
                }
            }
        }
    }

    private mutating func origin(_ kind: String, _ number: Int?) {
        member("kind", kind)
        member("number", number)
    }

    private mutating func state(_ transfer: TransferSnapshot) {
        var phase: String?
        var waiting: Waiting?
        var problem: TransferFailure?
        switch transfer.state {
        case .running(let current): phase = StateText.word(current)
        case .waiting(let current): (waiting, problem) = (current, current.failure)
        case .failed(let failure): problem = failure
        case .awaitingResponse, .paused, .succeeded, .cancelled: break
        }
        member("state", StateText.word(transfer.state))
        member("phase", phase)
        member("reason", waiting.map { StateText.word($0.reason) })
        member("since", waiting?.since)
        member("until", waiting?.until)
        member("retryAfter", waiting?.retryAfter)
        member("turnLimit", transfer.turnLimit.map(Self.word))
        member("turnLimitCount", transfer.turnLimitCount)
        member("predecessor", transfer.predecessor?.description)
        failure("failure", problem)
    }

    private static func word(_ direction: TransferSnapshot.Direction) -> String {
        switch direction {
        case .download: "download"
        case .upload: "upload"
        case .request: "request"
        }
    }

    private static func word(_ limit: TransferSnapshot.TurnLimit) -> String {
        switch limit {
        case .total: "total"
        case .host: "host"
        case .group: "group"
        case .heldHost: "heldHost"
        }
    }
}
