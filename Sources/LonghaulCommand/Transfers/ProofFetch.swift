import LonghaulClient
import LonghaulCore

/// Fetches what verifies a download before the download starts: a list of checksums, or a signature.
struct ProofFetch {
    let world: World
    let session: SessionID
    let template: TransferTemplate

    /// Longer than any list of checksums.
    private static let limit = 8 << 20

    /// Reads a URL, or a local file.
    func read(_ text: String, for target: TransferURL) async throws(TransferFailure) -> [UInt8] {
        guard text.contains("://") else { return try LocalFiles.readAll(world.absolute(text), limit: Self.limit) }
        guard text.hasPrefix("file://") else { return try await fetch(text, for: target) }
        return try LocalFiles.readAll(String(text.dropFirst("file://".count)), limit: Self.limit)
    }

    /// Reads a list of checksums. One without TLS could be changed together with the bytes of a mirror without TLS.
    func checksums(
        _ text: String, for target: TransferURL, mirrors: [String]
    ) async throws(TransferFailure) -> ChecksumList {
        let isPlain = text.lowercased().hasPrefix("http://") && target.scheme == "https"
        if isPlain, mirrors.contains(where: TransferURL.isPlain) {
            throw .usage("A checksum list over plain HTTP proves no mirror over plain HTTP. Use https for one of them.")
        }
        return try ChecksumList(reading: try await read(text, for: target))
    }

    /// Returns the body of a URL, for a download from `target`, whose secrets go to its own origin only.
    func fetch(_ text: String, for target: TransferURL) async throws(TransferFailure) -> [UInt8] {
        let url = try LocalCheck.url(text)
        let isOwn = url.origin == target.origin
        var options = template.options
        options.key = nil
        options.idempotencyKey = nil
        options.joinsEqualBefore = nil
        options.responseLimit = Self.limit
        if !isOwn { options.credentialName = nil }
        let spec = TransferSpec(
            work: .request(body: []), method: "GET", url: url.text, headers: isOwn ? template.headers(for: url) : [],
            options: options, network: isOwn ? template.network : template.network.withoutIdentity)
        do throws(TransferFailure) {
            return try await answer(to: spec)
        } catch {
            throw TransferFailure(
                error.code, "\(url.redacted): \(error.ofGoneTransfer.message)", origin: error.origin)
        }
    }

    private func answer(to spec: TransferSpec) async throws(TransferFailure) -> [UInt8] {
        let service = try await world.connect(true)
        defer { service.close() }
        guard let answer = try await service.send([spec], to: session).answers().first else {
            throw TransferFailure(.internalFault, tr("The service returned no answer. See longhaul list."))
        }
        let id: TransferID
        switch answer {
        case .refused(let failure): throw failure
        case .accepted(let accepted), .existing(let accepted): id = accepted
        }
        try await waitForEnd(of: id, service)
        let detail = try await service.show(id, in: session)
        // Only this command needs the transfer.
        _ = try await service.control(.remove, .ids([id]), in: session)
        if case .failed(let failure) = detail.snapshot.state { throw failure }
        guard let response = detail.response, !response.isTruncated else {
            throw TransferFailure(
                .lengthMismatch, tr("The response is incomplete, or longer than a list of checksums can be."))
        }
        return response.body
    }

    private func waitForEnd(of id: TransferID, _ service: any TransferService) async throws(TransferFailure) {
        do {
            for try await update in service.watch(.ids([id]), in: session, WatchDetail()) {
                if update.changed.contains(where: { $0.id == id && $0.state.isEnded }) { return }
                if update.succeeded.contains(where: { $0.id == id }) || update.removed.contains(id) { return }
            }
        } catch {
            throw error as? TransferFailure ?? TransferFailure(.interrupted, tr("The service ended the watch."))
        }
    }
}
