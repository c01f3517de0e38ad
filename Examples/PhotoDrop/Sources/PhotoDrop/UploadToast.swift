import DesktopKit

/// The toast about everything that is under way: the sum of several photos, and in the end how it went. It repeats no row.
final class UploadToast {
    private let toast: ProgressToast
    /// Photos that it is about, and when those ended whose end was told: one that is tried again ends again.
    private var batch: Set<TransferID> = []
    private var told: [TransferID: WallTime] = [:]

    init(over overlay: Widget, above list: Widget) {
        toast = ProgressToast(over: overlay, above: list)
    }

    func say(_ text: String) {
        toast.say(text)
    }

    /// A photo has ended, perhaps while the app was away: that is told once.
    func take(_ finished: TransferSnapshot) {
        if finished.endedAt != told[finished.id] { batch.insert(finished.id) }
    }

    func update(_ photos: [TransferSnapshot]) {
        for photo in photos where !photo.state.isEnded { batch.insert(photo.id) }
        // The end of a photo may be told before the list has it: that one is still to come.
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

    /// The sum of several photos; of one, what its row does not say.
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
