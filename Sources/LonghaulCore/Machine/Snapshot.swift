extension TransferSnapshot {
    /// Creates a snapshot for clients. The loop adds the live values of a running exchange.
    package init(_ record: TransferRecord) {
        let url = try? TransferURL(parsing: record.spec.url)  // Records of older versions stay listable.
        let place = Self.place(of: record, url: url)
        self.init(
            id: record.id, sequence: record.sequence, key: record.spec.options.key,
            group: record.spec.options.group, direction: Self.direction(of: record.spec), method: record.spec.method,
            url: url?.redacted ?? "", name: place.name, path: place.path, state: record.state, turnLimit: nil,
            priority: record.priority, bytesDone: record.facts.bytesDone,
            bytesTotal: record.facts.bytesTotal, rate: 0, attempts: record.facts.attempts,
            createdAt: record.facts.createdAt, startedAt: record.facts.startedAt, endedAt: record.facts.endedAt,
            status: record.facts.response?.status)
        predecessor = record.spec.options.predecessor
        followsFailure = predecessor != nil && record.spec.options.followsFailure
        restartCounts = record.facts.restartCounts.count
        restartReason = record.facts.restartCounts.latest
        losesBytesWhenStopped = TransferMachine(record).isHarmedByStopping
        isLengthUnverified = record.state == .succeeded && record.facts.download.served.endsUnverified
        resultURL = Self.resultURL(of: record, besides: url)
        if let mirrors = record.facts.download.mirrors {
            if mirrors.current > 0 { mirrorURL = (try? TransferURL(parsing: mirrors.url))?.redacted }
            rejectedURL = mirrors.rejectedURL.flatMap { (try? TransferURL(parsing: $0))?.redacted }
        }
        if case .waiting(let waiting) = record.state, [.retry, .serverBusy].contains(waiting.reason) {
            attemptsLeft = waiting.failure.map {
                record.facts.retryLimit(after: $0, record.spec.options) + 1 - max(1, record.facts.failuresInARow)
            }
        }
    }

    private static func resultURL(of record: TransferRecord, besides url: TransferURL?) -> String? {
        let facts = record.facts
        let response = facts.response
        // A refused redirect has a Location, but created nothing.
        let created = response.flatMap { (200..<300).contains($0.status) ? $0.location : nil }
        let text = facts.upload.uploadURL ?? created ?? response?.url ?? facts.download.effectiveURL ?? ""
        guard !text.isEmpty, text != record.spec.url, let result = try? TransferURL(parsing: text),
            result.redacted != url?.redacted
        else { return nil }
        return HeaderField("Location", result.withoutLogin.text).shown.value
    }

    private static func direction(of spec: TransferSpec) -> Direction {
        switch spec.work {
        case .download: .download
        case .upload: .upload
        case .request: .request
        }
    }

    private static func place(of record: TransferRecord, url: TransferURL?) -> (name: String, path: String?) {
        switch record.spec.work {
        case .download(let download):
            if let path = record.facts.download.finalPath { return (path.baseName ?? path, path) }
            let name =
                download.fileName ?? record.facts.download.suggestedName
                ?? SafeFileName.make(from: url)
            return (name, "\(download.directory)/\(name)")
        case .upload(.raw(let source)), .upload(.tus(let source, _)):
            guard let path = source.namedPath else { return (SafeFileName.make(from: nil, url: record.spec.url), nil) }
            return (path.baseName ?? path, path)
        case .upload(.form(_, let parts)):
            let files = parts.compactMap { part in
                if case .file(let source, let fileName, _) = part.content { (source, fileName) } else { nil }
            }
            guard let (first, fileName) = files.first else { return ("form", nil) }
            let path = first.namedPath
            let name = path.map { $0.baseName ?? $0 } ?? fileName
            return (files.count == 1 ? name : "\(name) and \(files.count - 1) more", path)
        case .request: return ("\(record.spec.method) \(url?.path ?? "")", nil)
        }
    }
}

extension SourceFile {
    /// The path that the app submitted; `nil` for bytes.
    fileprivate var namedPath: String? { isStaged ? origin?.value.path : path }
}

extension TransferDetail {
    /// Creates the details of a record, without its secrets.
    package init(_ record: TransferRecord, snapshot: TransferSnapshot) {
        self.init(
            snapshot: snapshot,
            headers: record.spec.headers.map { $0.isSecret ? HeaderField($0.name, "(secret)", isSecret: true) : $0 },
            response: record.facts.response, lastFailure: record.facts.lastFailure,
            restarts: max(record.facts.restarts, record.facts.restartCounts.count),
            options: TransferOptions(of: record),
            ignoresConditions: record.facts.ignoresConditions)
        mirrors = record.facts.download.mirrors?.reports ?? []
        notRetriedBecause = RetryEnd(record)
        bytesKept = record.facts.download.files.kept?.value.bytes ?? 0
    }
}
