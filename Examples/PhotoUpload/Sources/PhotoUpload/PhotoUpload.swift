import Longhaul

// PhotoUpload URL PHOTO…    Uploads photos, by tus if the URL ends in a slash, else each as a form field.
// PhotoUpload               Shows how the uploads of earlier launches went.
//
// Leave it at any time, or kill it: longhauld goes on, and the next launch finds everything. `PHOTO_UPLOAD=in-process`
// does without the service: then the uploads go on only while the app runs.

/// What the app says about one upload: a line where another app has a toast.
struct Toast {
    private var lines: [TransferID: String] = [:]

    /// Says something only when it is new.
    mutating func show(_ photo: TransferSnapshot) {
        let line = Self.line(photo)
        guard lines.updateValue(line, forKey: photo.id) != line else { return }
        print("\(photo.name): \(line)")
    }

    /// Created, how far, body sent, answered, or failed with or without going on: one place decides what is said.
    private static func line(_ photo: TransferSnapshot) -> String {
        switch photo.state {
        case .waiting(let waiting): waiting.failure.map { "\($0.message) It goes on by itself." } ?? "in the queue"
        case .running(.sending): "uploading, \(percent(photo)) %"
        case .running: "uploading"
        case .awaitingResponse: "sent; the server is working on it"
        case .paused: "paused"
        case .succeeded: "done"
        case .failed(let failure): "failed. \(failure.message)"
        case .cancelled: "cancelled"
        }
    }

    /// In steps of ten.
    private static func percent(_ photo: TransferSnapshot) -> Int64 {
        guard let total = photo.bytesTotal, total > 0 else { return 0 }
        return photo.bytesDone * 10 / total * 10
    }
}

/// Asks for uploads and watches them. Who keeps them and who moves them is the session's business.
struct PhotoUploader {
    let session: TransferSession

    /// Asking twice for the same photo gives one upload: its path is its key.
    func upload(_ photo: String, to url: String) async throws(TransferFailure) {
        var options = TransferOptions()
        options.group = "photos"
        options.key = photo
        if url.hasSuffix("/") {
            _ = try await session.uploadResumably(file: photo, to: url, options: options)
        } else {
            // A key of its own lets the server recognise a request that had to be sent again.
            options.idempotencyKey = "photo-\(UInt64.random(in: .min ... .max))"
            _ = try await session.upload(
                form: [.text(name: "album", value: "Holiday"), .file(name: "photo", path: photo)], to: url,
                options: options)
        }
    }

    /// Shows every photo until all have ended.
    func follow() async throws(TransferFailure) {
        var toast = Toast()
        var photos = TransferList()
        do {
            for try await change in session.changes(matching: .group("photos")) {
                photos.apply(change)
                for photo in change.inserted + change.updated { toast.show(photo) }
                if GroupProgress(of: photos.transfers).isEnded { return }
            }
        } catch {
            throw error
        }
    }

    /// What went well has been seen and may be forgotten. What failed stays, so that it can be tried again.
    func tidy() async throws(TransferFailure) {
        for photo in try await session.list(matching: TransferQuery(group: "photos", isEnded: true))
        where photo.state == .succeeded {
            try await session.handle(for: photo).acknowledge()
        }
    }

    /// At launch: photos that failed the last time get another chance.
    func retryFailed() async throws(TransferFailure) {
        for photo in try await session.list(matching: TransferQuery(group: "photos", isEnded: true)) {
            if case .failed = photo.state { try await session.handle(for: photo).retry() }
        }
    }
}

@main struct PhotoUpload {
    static func main() async {
        do throws(TransferFailure) {
            let session = try await TransferSession.open(
                "org.example.photo-upload", configuration: TransferSession.Configuration(execution: execution))
            let uploader = PhotoUploader(session: session)
            let arguments = CommandLine.arguments.dropFirst()
            try await uploader.retryFailed()
            for photo in arguments.dropFirst() { try await uploader.upload(photo, to: arguments.first ?? "") }
            try await uploader.follow()
            try await uploader.tidy()
            await session.close()
        } catch {
            print("The photos cannot be uploaded. \(error.message)")
        }
    }

    private static var execution: TransferSession.Execution {
        CommandLine.arguments.contains("--in-process") ? .inProcess : .service
    }
}
