import LonghaulCore

extension Command {
    static let show: Command = Command(
        "show", "ID [options]", "Show all details of a transfer", options: [.session, .json],
        transfers: StateText.words,
        run: { arguments, world throws(TransferFailure) in
            guard arguments.operands.count == 1 else { throw .usage("show needs one ID") }
            let session = try LocalCheck.session(arguments)
            let service = try await world.connect(true)
            defer { service.close() }
            let ids = try await IDLookup.find(arguments.operands, among: show.transfers, in: session, over: service)
            for id in ids {
                let detail = try await service.show(id, in: session)
                if arguments.has(.json) {
                    var json = JSONWriter()
                    json.object { $0.members(of: detail) }
                    json.endLine()
                    world.console.writeOutput(json.bytes)
                } else {
                    world.console.print(
                        DetailText(detail: detail, session: session, world: world).lines.joined(separator: "\n"))
                }
            }
            return .success
        })
}

/// One transfer for a person to read: a name and a value on each line.
struct DetailText {
    let detail: TransferDetail
    let session: SessionID
    let world: World

    var lines: [String] {
        let transfer = detail.snapshot
        var rows: [(String, String)] = [("ID", transfer.id.description)]
        if let key = transfer.key { rows.append(("Key", key)) }
        if let group = transfer.group { rows.append(("Group", group)) }
        rows.append(("Request", transfer.method + " " + transfer.url))
        if let path = transfer.path { rows.append((transfer.direction == .upload ? "Source" : "File", path)) }
        for mirror in detail.mirrors { rows.append(("From", mirror.url + " " + MirrorText.words(mirror))) }
        rows.append(("State", StateText.phrase(transfer, in: session, now: world.now())))
        let remark = transfer.isLengthUnverified ? " (" + TransferSnapshot.lengthRemark + ")" : ""
        rows.append(("Bytes", bytes(transfer) + remark))
        if detail.bytesKept > 0 {
            let size = HumanText.bytes(detail.bytesKept)
            rows.append(("", "\(size) of an earlier version are kept until this one is complete"))
        }
        if transfer.rate > 0 { rows.append(("Rate", HumanText.rate(transfer.rate) + timeLeft(transfer))) }
        if let limit = detail.options.rateLimit { rows.append(("Rate limit", HumanText.rate(limit))) }
        if let summary = ConditionRulesText.summary(detail.options.conditions) { rows.append(("Conditions", summary)) }
        if detail.ignoresConditions { rows.append(("", "goes on anyway, whatever the conditions are")) }
        rows.append(("Priority", "\(transfer.priority)"))
        rows.append(("Attempts", "\(transfer.attempts)"))
        if detail.restarts > 0 {
            let reason = transfer.beganAnewBecause.map { ", last since " + $0.text } ?? ""
            rows.append(("Begun anew", HumanText.count(detail.restarts, "time") + reason))
        }
        rows.append(("Submitted", world.localTime(transfer.createdAt)))
        if let started = transfer.startedAt { rows.append(("Started", world.localTime(started))) }
        if let ended = transfer.endedAt { rows.append(("Ended", world.localTime(ended))) }
        if let failure = detail.lastFailure {
            rows.append(("Last failure", failure.message + " [\(failure.code.rawValue)]"))
        }
        if let end = detail.notRetriedBecause { rows.append(("Not retried", RetryEndText.phrase(end))) }
        if let credential = detail.options.credential { rows.append(("Credential", credential.description)) }
        for header in detail.headers.map(\.shown) { rows.append(("Header", header.name + ": " + header.value)) }
        if let response = detail.response { rows += responseRows(response) }
        return rows.map { DisplayText.fit($0.0, 14) + DisplayText.clean($0.1) }
    }

    private func bytes(_ transfer: TransferSnapshot) -> String {
        let (done, total) = (transfer.bytesDone, transfer.bytesTotal)
        guard let total, let percent = HumanText.percent(done, of: total) else {
            return HumanText.bytes(done) + (done < 1_024 ? "" : " (\(done))")
        }
        return "\(percent)%, \(HumanText.bytes(done)) of \(HumanText.bytes(total)) (\(done) of \(total))"
    }

    private func timeLeft(_ transfer: TransferSnapshot) -> String {
        guard let total = transfer.bytesTotal else { return "" }
        let left = max(0, total - transfer.bytesDone)
        return ", \(HumanText.clock((left + transfer.rate - 1) / transfer.rate)) left"
    }

    private func responseRows(_ response: Response) -> [(String, String)] {
        var rows = [("Response", "\(response.status)")]
        for header in response.headers.map(\.shown) { rows.append(("", header.name + ": " + header.value)) }
        let more = response.isTruncated ? ", the first of more" : ""
        rows.append(("", HumanText.count(response.body.count, "byte") + " kept" + more))
        return rows + Self.words(of: response.body).map { ("", $0) }
    }

    /// What the server says, when it is text: often the reason why it refuses.
    private static func words(of body: [UInt8]) -> [String] {
        guard !body.contains(0), let text = String(validating: body.prefix(4_096), as: UTF8.self) else { return [] }
        let lines = text.split(whereSeparator: \.isNewline).map { String($0.trimming(\.isWhitespace)) }.filter {
            !$0.isEmpty
        }
        return lines.prefix(20).map { DisplayText.cut($0, 400) } + (lines.count > 20 ? ["…"] : [])
    }
}
