import Longhaul

/// The app uploads a form with a file. A later launch finds the upload, and continues or cancels it.
struct FoundAgain: ReferenceSystem {
    static let session = "org.example.forms"
    let platform: Platform

    init(_ platform: Platform) { self.platform = platform }

    func open(_ session: TransferSession, _ lifecycle: ProcessLifecycle) async throws(TransferFailure) {
        let found = try await session.snapshots()
        platform.show("found: \(found.count)")
        if found.isEmpty {
            try await platform.follow(submit(to: session))
        }
        for form in found {
            let transfer = session.transfer(form.id)
            if form.state == .paused { try await transfer.resume() }
            try await platform.follow(transfer)
        }
    }

    private func submit(to session: TransferSession) async throws(TransferFailure) -> Transfer {
        var options = TransferOptions()
        options.timeoutIntervalForResource = .seconds(7 * 86_400)
        options.idempotencyKey = "form-1"
        let fields: [FormField] = [
            .text(name: "album", value: "Holiday"), .file(name: "photo", path: "\(platform.directory)/photo.jpg"),
        ]
        return try await session.upload(form: fields, to: "\(platform.server)/forms", key: "form", options: options)
    }
}
