import DesktopKit

/// The toast about all active uploads: the total progress of several photos, and their result. It does not repeat a row.
final class UploadToast {
    private let toast: ProgressToast
    /// The photos of the current toast; and by photo, the end time that a toast has already shown. A retried photo ends again,
    /// at another time.
    private var batch: Set<TransferID> = []
    private var told: [TransferID: WallTime] = [:]

    init(over overlay: Widget, above list: Widget) {
        toast = ProgressToast(over: overlay, above: list)
    }

    func say(_ text: String) {
        toast.say(text)
    }

    /// Adds a photo that has ended, perhaps while the app was not running. The toast shows its result once.
    func take(_ finished: TransferSnapshot) {
        if finished.endedAt != told[finished.id] { batch.insert(finished.id) }
    }

    func update(_ photos: [TransferSnapshot]) {
        for photo in photos where !photo.state.isEnded { batch.insert(photo.id) }
        // The event of a photo's end may arrive before the list has the new state. Then a later update shows the result.
        let photos = photos.filter { batch.contains($0.id) && ($0.endedAt == nil || $0.endedAt != told[$0.id]) }
        guard photos.allSatisfy(\.state.isEnded) else {
            return tellProgress(photos, photos.filter { !$0.state.isEnded })
        }
        toast.end()
        for photo in photos {
            told[photo.id] = photo.endedAt
            batch.remove(photo.id)
        }
        tellEnd(photos)
    }

    /// Shows the total progress of several photos. The row of a single photo already shows its progress.
    private func tellProgress(_ photos: [TransferSnapshot], _ live: [TransferSnapshot]) {
        let isMoving = live.contains { if case .running = $0.state { true } else { false } }
        guard photos.count > 1, isMoving else { return toast.show(tr("You can close this window")) }
        let percent = Int((GroupProgress(of: photos).fractionCompleted ?? 0) * 100)
        toast.show(tr("Uploading %1 photo", many: "Uploading %1 photos", photos.count), detail: "\(percent)%")
    }

    private func tellEnd(_ photos: [TransferSnapshot]) {
        let failed = photos.filter(\.hasFailed)
        let done = photos.filter { $0.state == .succeeded }
        if let unknown = failed.first(where: { !$0.mayBeTriedAgain }) {
            toast.say(tr("No answer came for %1", unknown.name))
        } else if let last = failed.last {
            let title =
                failed.count == 1
                ? tr("%1 could not be sent", last.name)
                : tr("%1 photo could not be sent", many: "%1 photos could not be sent", failed.count)
            toast.say(title, button: (Action.retry.word, "app.try-again"))
        } else if let last = done.last {
            toast.say(
                done.count == 1
                    ? tr("%1 is in the album", last.name)
                    : tr("%1 photo is in the album", many: "%1 photos are in the album", done.count))
        }
    }
}
