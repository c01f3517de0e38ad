import LonghaulCore

extension Command {
    static let show: Command = Command(
        "show", "ID [options]", "Show all details of a transfer", options: [.session, .json],
        transfers: StateText.words,
        reference: ([], [.init("longhaul show film.mp4 --json", "Show a transfer as JSON")]),
        run: { arguments, world throws(TransferFailure) in
            guard arguments.operands.count == 1 else { throw .misuse("show needs one ID.") }
            let session = try LocalCheck.session(arguments)
            let service = try await world.connect(true)
            defer { service.close() }
            let ids = try await IDLookup.find(
                arguments.operands, among: show.transfers, choosesNewest: true, in: session, over: service)
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

/// One transfer as text: a label and a value on each line.
struct DetailText {
    let detail: TransferDetail
    let session: SessionID
    let world: World

    var lines: [String] {
        let rows = requestRows + progressRows + historyRows + (detail.response.map(responseRows) ?? [])
        let width = max(14, (rows.map { DisplayText.width($0.0) }.max() ?? 0) + 2)
        let columns = world.console.isOutputTerminal ? max(20, world.console.size().columns - width) : nil
        return rows.flatMap { label, value in
            let value = DisplayText.clean(value)
            let lines = columns.map { DisplayText.wrapped(value, $0) } ?? [value]
            return lines.enumerated().map { DisplayText.fit($0 == 0 ? label : "", width) + $1 }
        }
    }

    private var requestRows: [(String, String)] {
        let transfer = detail.snapshot
        var rows = [(tr("ID"), transfer.id.description)]
        if let key = transfer.key { rows.append((tr("Key"), key)) }
        if let group = transfer.group { rows.append((tr("Group"), group)) }
        rows.append((tr("Request"), transfer.method + " " + transfer.url))
        if let result = transfer.resultURL {
            let isCreated = detail.response?.location != nil || !transfer.state.isEnded
            rows.append((isCreated && transfer.direction != .download ? tr("Created URL") : tr("Final URL"), result))
        }
        if let path = transfer.path { rows.append((transfer.direction == .upload ? tr("Source") : tr("File"), path)) }
        for mirror in detail.mirrors { rows.append((tr("From"), mirror.url + " " + MirrorText.words(mirror))) }
        return rows
    }

    private var progressRows: [(String, String)] {
        let transfer = detail.snapshot
        var rows = [(tr("State"), StateText.phrase(transfer, in: session, now: world.now()))]
        let remark = transfer.isLengthUnverified ? " (" + ReportText.lengthRemark + ")" : ""
        rows.append((tr("Bytes"), bytes(transfer) + remark))
        if detail.bytesKept > 0 {
            let size = HumanText.bytes(detail.bytesKept)
            rows.append(("", tr("\(size) of an earlier version are kept until this one is complete")))
        }
        if transfer.rate > 0 {
            let rate = HumanText.rate(transfer.rate)
            let left = transfer.timeLeft
            rows.append((tr("Rate"), left.isEmpty ? rate : tr("\(rate), \(left) left")))
        }
        if let limit = detail.options.rateLimit { rows.append((tr("Rate limit"), HumanText.rate(limit))) }
        if let summary = ConditionRulesText.summary(detail.options.conditions) {
            rows.append((tr("Conditions"), summary))
        }
        if detail.ignoresConditions { rows.append(("", tr("continues under any conditions"))) }
        rows.append((tr("Priority"), "\(transfer.priority)"))
        rows.append((tr("Attempts"), "\(transfer.attempts)"))
        if detail.restarts > 0 {
            let times = detail.restarts == 1 ? tr("once") : tr("\(detail.restarts) times")
            let reason = transfer.restartReason.map { tr("\(times); last reason: \($0.text)") }
            rows.append((tr("Restarted"), reason ?? times))
        }
        return rows
    }

    private var historyRows: [(String, String)] {
        let transfer = detail.snapshot
        var rows = [(tr("Submitted"), world.localTime(transfer.createdAt))]
        if let started = transfer.startedAt { rows.append((tr("Started"), world.localTime(started))) }
        if let ended = transfer.endedAt { rows.append((tr("Ended"), world.localTime(ended))) }
        if let failure = detail.lastFailure {
            rows.append((tr("Last failure"), StateText.sentence(failure).asSentence))
        }
        if let end = detail.notRetriedBecause { rows.append((tr("Not retried"), RetryEndText.phrase(end))) }
        if let credential = detail.options.credential { rows.append((tr("Credential"), credential.description)) }
        for header in detail.headers.map(\.shown) { rows.append((tr("Header"), header.name + ": " + header.value)) }
        return rows
    }

    private func bytes(_ transfer: TransferSnapshot) -> String {
        let (done, total) = (transfer.bytesDone, transfer.bytesTotal)
        guard let total, let percent = HumanText.percent(done, of: total) else {
            return HumanText.bytes(done) + (done < 1_024 ? "" : " (\(done))")
        }
        return tr("\(percent)%, \(HumanText.bytes(done)) of \(HumanText.bytes(total)) (\(done) of \(total))")
    }

    private func responseRows(_ response: Response) -> [(String, String)] {
        var rows = [(tr("Response"), "\(response.status)")]
        if let location = response.location, detail.snapshot.resultURL == nil {
            rows.append((tr("Location"), HeaderField("Location", location).shown.value))
        }
        for header in response.headers.map(\.shown) { rows.append(("", header.name + ": " + header.value)) }
        let count = response.body.count
        let kept =
            response.isTruncated
            ? tr("the first \(count) bytes of the body are stored")
            : count == 1 ? tr("1 byte of body is stored") : tr("\(count) bytes of body are stored")
        rows.append(("", kept))
        return rows + Self.words(of: response.body).map { ("", $0) }
    }

    /// Returns the first lines of a text: the server often explains a refusal.
    private static func words(of body: [UInt8]) -> [String] {
        guard !body.contains(0), let text = String(validating: body.prefix(4_096), as: UTF8.self) else { return [] }
        let lines = text.split(whereSeparator: \.isNewline).map { String($0.trimming(\.isWhitespace)) }.filter {
            !$0.isEmpty
        }
        return lines.prefix(20).map { DisplayText.cut($0, 400) } + (lines.count > 20 ? ["…"] : [])
    }
}
