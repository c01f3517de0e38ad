import DesktopKit

/// The submitted photos. longhauld transfers them from the start, so closing the window or killing the app has no effect: no
/// byte and no photo is sent twice.
final class Uploads {
    private(set) var photos: [TransferSnapshot] = []
    /// Whether `photos` has been loaded.
    private(set) var isOpen = false
    /// The reason why the app has no session; `nil` if it has one.
    private(set) var failure: TransferFailure?
    /// Called after `photos`, `isOpen`, or `failure` has changed.
    var whenChanged: () -> Void = {}
    /// Called once for each ended photo, even if it ended while the app was not running.
    var whenFinished: (TransferSnapshot) -> Void = { _ in }
    /// Called when the user clicked a notification, with the photo if the notification is about a single one.
    var whenTapped: (TransferID?) -> Void = { _ in }
    /// Called with a message that belongs to no photo of the list.
    var whenRefused: (String) -> Void = { _ in }

    private let id: String
    private let lifecycle: ProcessLifecycle
    private var opening: Task<Result<TransferSession, TransferFailure>, Never>?
    private var watching: Task<Void, Never>?

    init(id: String, lifecycle: ProcessLifecycle) {
        self.id = id
        self.lifecycle = lifecycle
    }

    /// Opens the session and follows it. Does nothing if the session is already followed.
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

    /// Submits photos for the album. The process does not exit before the submissions are on disk.
    func add(_ paths: [String], to address: String) {
        perform { session throws(TransferFailure) in
            for path in paths {
                guard Photo.isPhoto(path) else {
                    self.whenRefused(tr("%1 is not a photo", Photo.name(path)))
                    continue
                }
                var options = TransferOptions()
                // An unfinished upload of the same photo continues. If the upload has ended, the photo is sent again.
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

    /// Removes the photos that are in the album from the list.
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

    /// Returns the session. All callers share one attempt to open it.
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
            // The list of photos fails for the same reason, and shows it.
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
        // Only a click on a notification starts the app. Its events need no action without the user.
        configuration.wake = .dbus(appID: id, sessionSendsLaunchEvents: false)
        return configuration
    }
}
