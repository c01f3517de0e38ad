import LonghaulClient
import LonghaulCore

/// Fetches what a download is proved by before it is asked for: a list of checksums, or a signature.
struct ProofFetch {
    let world: World
    let session: SessionID
    let template: TransferTemplate

    /// No list of checksums is longer.
    private static let limit = 8 << 20

    /// What is at `text`, for a download from `target`, whose secrets go to its own origin only.
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
            throw TransferFailure(.internalFault, "the service gave no answer; see longhaul list")
        }
        let id: TransferID
        switch answer {
        case .refused(let failure): throw failure
        case .accepted(let accepted), .existing(let accepted): id = accepted
        }
        try await waitForEnd(of: id, service)
        let detail = try await service.show(id, in: session)
        // It was for this command, and nobody looks for it later.
        _ = try await service.control(.remove, .ids([id]), in: session)
        if case .failed(let failure) = detail.snapshot.state { throw failure }
        guard let response = detail.response, !response.isTruncated else {
            throw TransferFailure(.lengthMismatch, "it is not there whole, or longer than a list can be")
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
            throw error as? TransferFailure ?? TransferFailure(.interrupted, "the service ended the watch")
        }
    }
}
