import Foundation
import Longhaul

// PhotoUpload [--service] [URL PHOTO…]
//
// Uploads photos: by tus if the URL ends in a slash, else each as a form. Without a URL it shows how the uploads of
// earlier launches are. Leave it at any time (Ctrl-C, Ctrl-Z, log out) or kill it: what ends in a moment is ended here, for the
// rest longhauld goes on, and the next launch finds everything. Without longhauld, uploads go on at the next launch.
// With --service, longhauld moves the photos from the first byte, and leaving changes nothing.

@main struct PhotoUpload {
    static func main() async {
        var arguments = CommandLine.arguments.dropFirst()
        var configuration = TransferSession.Configuration(execution: .inProcess)
        configuration.handoff = Handoff()
        if arguments.first == "--service" {
            arguments.removeFirst()
            configuration.execution = .service
        }
        let url = arguments.popFirst()
        do throws(TransferFailure) {
            let session = try await TransferSession.open("org.example.photo-upload", configuration: configuration)
            let lifecycle = ProcessLifecycle()
            let isFine: Bool
            do {
                // Both last as long as this scope.
                async let _: Void = session.follow(lifecycle) { Toast.show($0) }
                async let _: Void = lifecycle.run(ProcessSignals())
                isFine = await PhotoUploader(session: session).run(photos: Array(arguments), url: url ?? "")
            }
            await session.close()
            if isFine { return }
        } catch {
            Toast.show(error)
        }
        exit(EXIT_FAILURE)
    }
}

/// Asks for uploads and watches them. Who keeps them, and who moves them, is the session's business.
struct PhotoUploader {
    private static let group = "photos"
    let session: TransferSession

    /// One launch, until every photo has ended; `false` when it could not do what it was asked for.
    func run(photos: [String], url: String) async -> Bool {
        do throws(TransferFailure) {
            if let loss = try await session.ownerLoss() {
                Toast.show(loss)
                try await session.acknowledgeOwnerLoss()
            }
            try await retryFailed()
            for photo in photos { try await upload(photo, to: url) }
            try await follow()
            try await tidyUp()
            return true
        } catch {
            Toast.show(error)
            return false
        }
    }

    /// Asking again for a photo gives the upload that is there: its path is its key.
    func upload(_ photo: String, to url: String) async throws(TransferFailure) {
        var options = TransferOptions()
        options.group = Self.group
        options.key = photo
        if url.hasSuffix("/") {
            _ = try await session.uploadResumably(file: photo, to: url, options: options)
        } else {
            // By this the server recognises a form that had to be sent again. Without it, one whose answer was lost
            // is not sent again: nobody knows whether it arrived.
            options.idempotencyKey = "photo-\(UInt64.random(in: .min ... .max))"
            let form: [FormField] = [.text(name: "album", value: "Holiday"), .file(name: "photo", path: photo)]
            _ = try await session.upload(form: form, to: url, options: options)
        }
    }

    /// At launch: photos that failed the last time get another chance.
    func retryFailed() async throws(TransferFailure) {
        for photo in try await ended() {
            if case .failed = photo.state { try await session.handle(for: photo).retry() }
        }
    }

    /// Says how every photo is, until all have ended.
    func follow() async throws(TransferFailure) {
        var toast = Toast()
        var photos = TransferList()
        for try await change in session.changes(matching: .group(Self.group)) {
            photos.apply(change)
            for photo in change.inserted + change.updated { toast.show(photo) }
            if GroupProgress(of: photos.transfers).isEnded { return }
        }
    }

    /// What went well was shown and may be forgotten; what failed stays.
    func tidyUp() async throws(TransferFailure) {
        for photo in try await ended() where photo.state == .succeeded {
            try await session.handle(for: photo).acknowledge()
        }
    }

    private func ended() async throws(TransferFailure) -> [TransferSnapshot] {
        try await session.list(matching: TransferQuery(group: Self.group, isEnded: true))
    }
}

/// What the app says about its photos: a line where another app has a toast.
struct Toast {
    private var lines: [TransferID: String] = [:]

    /// What became of the photos when the app left or came back.
    static func show(_ report: HandoffReport) {
        switch report.outcome {
        case .handedOver: print("longhauld goes on with the photos.")
        case .suspended: print("The photos wait for the next launch.")
        case .takenOver: print("The photos go on here.")
        case .watching, .unchanged: return
        }
    }

    static func show(_ loss: OwnerLossReport) {
        print("This app was ended by force while it uploaded; \(loss.transfers) photos were interrupted and go on.")
    }

    static func show(_ failure: TransferFailure) { print("The photos cannot be uploaded now. \(failure.message)") }

    /// Says how a photo is, when that is news.
    mutating func show(_ photo: TransferSnapshot) {
        let line = Self.line(photo)
        guard lines.updateValue(line, forKey: photo.id) != line else { return }
        print("\(photo.name): \(line)")
    }

    private static func line(_ photo: TransferSnapshot) -> String {
        switch photo.state {
        case .waiting(let waiting): waiting.failure.map { $0.message + " It goes on by itself." } ?? "in the queue"
        case .running: "uploading, \(photo.bytesTotal.map { photo.bytesDone * 10 / max($0, 1) * 10 } ?? 0) %"
        case .awaitingResponse: "sent, waiting for the server"
        case .paused: "paused"
        case .succeeded: "done"
        case .failed(let failure): "failed. \(failure.message)"
        case .cancelled: "cancelled"
        }
    }
}
