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
        var configuration = TransferSession.Configuration(execution: .handoff())
        if arguments.first == "--service" {
            arguments.removeFirst()
            configuration.execution = .service
        }
        let url = arguments.popFirst() ?? ""
        do throws(TransferFailure) {
            let session = try await TransferSession.open("org.example.photo-upload", configuration: configuration)
            let isFine = await PhotoUploader(session: session).run(photos: Array(arguments), url: url)
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
    private static let ended = TransferQuery(isEnded: true)
    let session: TransferSession

    /// One launch, until every photo has ended; `false` when one failed, or could not be asked for.
    func run(photos: [String], url: String) async -> Bool {
        // Both last until this returns.
        let lifecycle = ProcessLifecycle()
        async let _: Void = session.follow(lifecycle) { Toast.show($0) }
        async let _: Void = lifecycle.run()
        do throws(TransferFailure) {
            if let loss = try await session.ownerLoss() {
                Toast.say("This app was ended by force while it uploaded; \(loss.transfers) photos continue.")
                try await session.acknowledgeOwnerLoss()
            }
            for photo in photos { try await upload(photo, to: url) }
            try await follow()
            return try await tidyUp()
        } catch {
            Toast.show(error)
            return false
        }
    }

    /// The path is the key of a photo. Asking again gives the same upload, and starts it again if
    /// it failed.
    func upload(_ photo: String, to url: String) async throws(TransferFailure) {
        if url.hasSuffix("/") {
            try await session.uploadResumably(file: photo, to: url, key: photo)
        } else {
            // With this key, the server recognizes a form that was sent twice. Without it, a form whose response was lost is not sent
            // again.
            var options = TransferOptions()
            options.idempotencyKey = "photo-\(UInt64.random(in: .min ... .max))"
            let form: [FormField] = [.text(name: "album", value: "Holiday"), .file(name: "photo", path: photo)]
            try await session.upload(form: form, to: url, key: photo, options: options)
        }
    }

    /// Says how every photo is, until all have ended.
    func follow() async throws(TransferFailure) {
        var toast = Toast()
        var photos: [TransferSnapshot] = []
        for try await change in session.changes() {
            change.apply(to: &photos)
            for photo in change.inserted + change.updated { toast.show(photo) }
            if GroupProgress(of: photos).isEnded { return }
        }
    }

    /// All were shown: what is over may be forgotten, what failed stays. Says whether all went well.
    func tidyUp() async throws(TransferFailure) -> Bool {
        let photos = try await session.snapshots(matching: Self.ended)
        for photo in photos where photo.isOver { try await session.transfer(photo.id).remove() }
        return photos.allSatisfy { $0.state == .succeeded }
    }
}

extension TransferSnapshot {
    /// Whether it need not be kept: it went well, was cancelled, or its file is gone.
    fileprivate var isOver: Bool {
        if case .failed(let failure) = state { return failure.code == .sourceMissing }
        return state.isEnded
    }
}

/// What the app says about its photos: a line where another app has a toast.
struct Toast {
    private var lines: [TransferID: String] = [:]

    /// What became of the photos when the app left or came back.
    static func show(_ outcome: HandoffOutcome) {
        switch outcome {
        case .handedOver: say("longhauld continues the uploads.")
        case .suspended: say("The photos wait for the next launch.")
        case .takenOver: say("The photos continue here.")
        case .watching, .unchanged: return
        @unknown default: return
        }
    }

    static func show(_ failure: TransferFailure) { say("The photos cannot be uploaded now. \(failure.message)") }

    /// Straight to the file: what `print` keeps back for later is lost when the app is ended.
    static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

    /// Says how a photo is, when that is news.
    mutating func show(_ photo: TransferSnapshot) {
        let line = Self.line(photo)
        guard lines.updateValue(line, forKey: photo.id) != line else { return }
        Self.say("\(photo.name): \(line)")
    }

    private static func line(_ photo: TransferSnapshot) -> String {
        switch photo.state {
        case .waiting(let waiting):
            waiting.failure.map { $0.message + " It continues automatically." } ?? "in the queue"
        case .running: "uploading, \(Int((photo.fractionCompleted ?? 0) * 10) * 10)%"
        case .awaitingResponse: "sent, waiting for the server"
        case .paused: "paused"
        case .succeeded: "done"
        case .failed(let failure): "failed. \(failure.message)"
        case .cancelled: "cancelled"
        @unknown default: "\(photo.state)"
        }
    }
}
