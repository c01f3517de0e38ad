import Foundation
import Longhaul

// PhotoUpload [--service] [URL PHOTO…]
//
// Uploads photos: with tus if the URL ends in a slash, otherwise each as a form. Without a URL, shows the uploads of earlier
// launches. You can leave the program at any time (Ctrl-C, Ctrl-Z, logout) or kill it. Uploads that end within a moment finish
// in this process; longhauld continues the others, and the next launch shows all of them. If longhauld is not installed,
// uploads resume at the next launch. With --service, longhauld transfers the photos from the start, and an exit of this
// program has no effect on them.

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

/// Submits uploads and watches them. The session stores them, and decides which process transfers them.
struct PhotoUploader {
    private static let ended = TransferQuery(isEnded: true)
    let session: TransferSession

    /// Runs one launch, until every photo has ended. Returns `false` if a photo failed or could not be submitted.
    func run(photos: [String], url: String) async -> Bool {
        // Both tasks run until this method returns.
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

    /// Submits a photo with its path as key. A second submission joins the same upload, and restarts it if it failed.
    func upload(_ photo: String, to url: String) async throws(TransferFailure) {
        if url.hasSuffix("/") {
            try await session.uploadResumably(file: photo, to: url, key: photo)
        } else {
            // By this key, the server recognizes a form that it receives twice. Without the key, Longhaul does not repeat a form
            // whose response was lost.
            var options = TransferOptions()
            options.idempotencyKey = "photo-\(UInt64.random(in: .min ... .max))"
            let form: [FormField] = [.text(name: "album", value: "Holiday"), .file(name: "photo", path: photo)]
            try await session.upload(form: form, to: url, key: photo, options: options)
        }
    }

    /// Prints the state of every photo, until all have ended.
    func follow() async throws(TransferFailure) {
        var toast = Toast()
        var photos: [TransferSnapshot] = []
        for try await change in session.changes() {
            change.apply(to: &photos)
            for photo in change.inserted + change.updated { toast.show(photo) }
            if GroupProgress(of: photos).isEnded { return }
        }
    }

    /// Removes the photos that need no attention, and keeps failed ones. Returns whether all photos succeeded.
    func tidyUp() async throws(TransferFailure) -> Bool {
        let photos = try await session.snapshots(matching: Self.ended)
        for photo in photos where photo.isOver { try await session.transfer(photo.id).remove() }
        return photos.allSatisfy { $0.state == .succeeded }
    }
}

extension TransferSnapshot {
    /// Whether the upload succeeded, was cancelled, or has lost its file, so that no retry is possible or needed.
    fileprivate var isOver: Bool {
        if case .failed(let failure) = state { return failure.code == .sourceMissing }
        return state.isEnded
    }
}

/// The messages of the app: lines of text, where an app with a window has toasts.
struct Toast {
    private var lines: [TransferID: String] = [:]

    /// Prints what happens to the uploads when the app leaves or comes back.
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

    /// Writes a line without a buffer. A line in the buffer of `print` is lost if the app is killed.
    static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

    /// Prints the state of a photo if it has changed.
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
