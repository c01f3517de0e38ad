import DesktopKit

/// The photos that were given to Longhaul. The service moves them from the first byte, so nothing changes when the window
/// is closed or the app is killed: no byte is sent twice, and no photo.
final class Uploads {
    private(set) var photos: [TransferSnapshot] = []
    /// Whether `photos` is known.
    private(set) var isOpen = false
    /// Why photos cannot be sent or seen now.
    private(set) var failure: TransferFailure?
    /// What the window shows has changed.
    var whenChanged: () -> Void = {}
    /// A photo has ended that nobody was told of; also one that ended while the app was away.
    var whenFinished: (TransferSnapshot) -> Void = { _ in }
    /// A person clicked on a notification, about this photo if about one.
    var whenTapped: (TransferID?) -> Void = { _ in }
    /// There is something to say that belongs to no photo of the list.
    var whenRefused: (String) -> Void = { _ in }

    private let id: String
    private let lifecycle: ProcessLifecycle
    private var opening: Task<Result<TransferSession, TransferFailure>, Never>?
    private var watching: Task<Void, Never>?

    init(id: String, lifecycle: ProcessLifecycle) {
        self.id = id
        self.lifecycle = lifecycle
    }

    /// Opens the session and follows it, unless that is done already.
    func start() {
        guard watching == nil else { return }
        failure = nil
        watching = Task {
            do throws(TransferFailure) {
                let session = try await session()
                let events = Task { await follow(session) }
                defer { events.cancel() }
                for try await change in session.changes() {
                    change.apply(to: &photos)
                    isOpen = true
                    whenChanged()
                }
            } catch {
                failure = error
            }
            (opening, watching) = (nil, nil)
            whenChanged()
        }
    }

    /// Sends photos to the album. The process does not end before they are on disk.
    func add(_ paths: [String], to address: String) {
        perform { session throws(TransferFailure) in
            for path in paths {
                guard Photo.isPhoto(path) else {
                    self.whenRefused(tr("%1 is not a photo", Photo.name(path)))
                    continue
                }
                var options = TransferOptions()
                // One that is on its way stays; one that has ended may be sent once more.
                if let known = try await session.transfer(key: path), try await known.snapshot().state.isEnded {
                    options.keyConflict = .replace
                }
                let form: [FormField] = [.text(name: "album", value: "Photo Drop"), .file(name: "photo", path: path)]
                try await session.upload(form: form, to: address, key: path, options: options)
            }
        }
    }

    func tryAgain(_ photos: [TransferSnapshot]) {
        perform { session throws(TransferFailure) in
            for photo in photos { try await session.transfer(photo.id).retry() }
        }
    }

    /// Retries, cancels, or removes a photo.
    func perform(_ action: Action, on photo: TransferSnapshot) {
        perform { session throws(TransferFailure) in
            let transfer = session.transfer(photo.id)
            switch action {
            case .retry: try await transfer.retry()
            case .cancel: try await transfer.cancel()
            case .remove: try await transfer.remove()
            case .download, .pause, .resume, .delete, .play: break
            }
        }
    }

    /// Forgets the photos that are in the album.
    func clear() {
        let done = photos.filter { $0.state == .succeeded }.map(\.id)
        perform { session throws(TransferFailure) in
            try await session.removeAll(matching: TransferQuery(ids: done))
        }
    }

    private func perform(_ body: @escaping (TransferSession) async throws(TransferFailure) -> Void) {
        Task {
            await lifecycle.withTerminationDelay {
                do throws(TransferFailure) {
                    try await body(try await session())
                } catch {
                    whenRefused(error.message)
                }
            }
        }
    }

    /// The session; whoever asks while it is being opened waits for that.
    private func session() async throws(TransferFailure) -> TransferSession {
        let opening =
            opening
            ?? Task { [id, configuration] in
                do throws(TransferFailure) {
                    return .success(try await TransferSession.open(id, configuration: configuration))
                } catch {
                    return .failure(error)
                }
            }
        self.opening = opening
        return try await opening.value.get()
    }

    private func follow(_ session: TransferSession) async {
        do throws(TransferFailure) {
            for try await event in session.events {
                switch event.kind {
                case .transferFinished(let photo): whenFinished(photo)
                case .notificationTapped(let tap): whenTapped(tap.transfer)
                case .allTransfersFinished, .needsCredentials: break
                @unknown default: break
                }
                try await session.acknowledge(event)
            }
        } catch {
            // The list of photos fails for the same reason and says so.
        }
    }

    private var configuration: TransferSession.Configuration {
        func wording(_ title: String, _ one: String, _ several: String) -> NotificationSettings.Wording {
            .init(title, body: one, severalTitle: title, severalBody: several)
        }
        var notifications = NotificationSettings(appName: "Photo Drop", icon: id, desktopEntry: id)
        notifications.labels = Action.notificationLabels(cancel: tr("Cancel Upload"))
        notifications.wordings = [
            .handedOver: wording(
                tr("Still uploading"), tr("{name} continues in the background."),
                tr("{count} photos continue in the background.")),
            .finished: wording(
                tr("The upload is done"), tr("{name} is in the album."), tr("{count} photos are in the album.")),
            .failed: wording(
                tr("The upload failed"), tr("{name} could not be sent. {reason}"),
                tr("{count} photos could not be sent. {reason}")),
        ]
        var configuration = TransferSession.Configuration()
        configuration.notifications = notifications
        // There is nothing to do for this app without a person: it is started by a click only.
        configuration.wake = .dbus(appID: id, sessionSendsLaunchEvents: false)
        return configuration
    }
}
