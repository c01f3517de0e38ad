import DesktopKit

/// The toast about everything that is under way: it comes with the first photo, its bar fills, it says when the photos
/// have left and the server has its say, and in the end how it went.
final class UploadToast {
    /// Something to say, and what can be done about it.
    struct Message: Equatable {
        var title: String
        var fraction: Double?
        var canTryAgain = false
        /// Nothing is under way any more: the toast goes by itself.
        var isFinal = false
    }

    /// The toast that stays while something is under way.
    private struct Lasting {
        var toast: OpaquePointer
        var title: Widget
        var bar: Widget
    }

    private let overlay: Widget
    private var lasting: Lasting?
    /// The word about the end, while it is shown.
    private var last: OpaquePointer?
    private var shown: Message?
    /// What a person has put away: it does not come back before there is something else to say.
    private var putAway: String?
    /// Photos that this toast is about, and those whose end was told.
    private var batch: Set<TransferID> = []
    private var told: Set<TransferID> = []

    init(over overlay: Widget) {
        self.overlay = overlay
    }

    /// A photo has ended, perhaps while the app was away: that is told once.
    func take(_ finished: TransferSnapshot) {
        if !told.contains(finished.id) { batch.insert(finished.id) }
    }

    func update(_ photos: [TransferSnapshot]) {
        for photo in photos where !photo.state.isEnded {
            batch.insert(photo.id)
            told.remove(photo.id)
        }
        let photos = photos.filter { batch.contains($0.id) }
        let message = Self.message(photos)
        guard message != shown else { return }
        shown = message
        guard let message else { return dismiss() }
        guard message.isFinal else { return show(message) }
        dismiss()
        told.formUnion(batch)
        batch = []
        say(message.title, canTryAgain: message.canTryAgain)
    }

    /// A short word that goes by itself; one that offers something stays.
    func say(_ text: String, canTryAgain: Bool = false) {
        let toast: OpaquePointer = adw_toast_new("")
        // Names of files are no markup.
        adw_toast_set_custom_title(toast, label(text, "heading"))
        adw_toast_set_timeout(toast, canTryAgain ? 0 : 6)
        if canTryAgain {
            adw_toast_set_button_label(toast, "Try Again")
            adw_toast_set_action_name(toast, "app.try-again")
        }
        last = toast
        on(toast, "dismissed") { [weak self] in if self?.last == toast { self?.last = nil } }
        adw_toast_overlay_add_toast(overlay.cast(), toast)
    }

    private func show(_ message: Message) {
        if lasting == nil {
            guard message.title != putAway else { return }
            putAway = nil
            lasting = begin()
        }
        guard let lasting else { return }
        gtk_label_set_text(lasting.title.cast(), message.title)
        gtk_widget_set_visible(lasting.bar, message.fraction == nil ? 0 : 1)
        gtk_progress_bar_set_fraction(lasting.bar.cast(), message.fraction ?? 0)
    }

    private func begin() -> Lasting {
        if let last { adw_toast_dismiss(last) }
        let toast: OpaquePointer = adw_toast_new("")
        let title = label("", "heading")
        let bar: Widget = gtk_progress_bar_new()
        gtk_widget_set_size_request(bar, 200, -1)
        desktop_set_label(bar, "Progress of the upload")
        adw_toast_set_timeout(toast, 0)
        adw_toast_set_custom_title(toast, box(GTK_ORIENTATION_VERTICAL, spacing: 6, title, bar))
        on(toast, "dismissed") { [weak self] in
            guard let self, lasting?.toast == toast else { return }
            (lasting, putAway) = (nil, shown?.title)
        }
        adw_toast_overlay_add_toast(overlay.cast(), toast)
        return Lasting(toast: toast, title: title, bar: bar)
    }

    private func dismiss() {
        guard let toast = lasting?.toast else { return }
        (lasting, putAway) = (nil, nil)
        adw_toast_dismiss(toast)
    }

    /// What there is to say of photos; `nil` for nothing.
    static func message(_ photos: [TransferSnapshot]) -> Message? {
        let live = photos.filter { !$0.state.isEnded }
        let progress = GroupProgress(of: photos)
        guard !live.isEmpty else { return outcome(photos) }
        let fraction = progress.bytesTotal > 0 ? Double(progress.bytesDone) / Double(progress.bytesTotal) : 0
        if live.allSatisfy({ $0.state == .awaitingResponse }) {
            return Message(title: "Sent, waiting for the server", fraction: 1)
        }
        // Nothing moves, and it is known why: a turn comes by itself.
        let reasons = live.compactMap { photo -> Waiting? in
            if case .waiting(let waiting) = photo.state, waiting.reason != .turn { waiting } else { nil }
        }
        if reasons.count == live.count, let waiting = reasons.first {
            return Message(title: Words.words(waiting), fraction: fraction)
        }
        let title =
            photos.count == 1
            ? "Uploading \(live[0].name)" : "Uploading \(photos.count - live.count + 1) of \(photos.count) photos"
        return Message(title: title, fraction: fraction)
    }

    private static func outcome(_ photos: [TransferSnapshot]) -> Message? {
        let failed = photos.filter(\.hasFailed)
        if let last = failed.last {
            let title =
                failed.count == 1 ? "\(last.name) could not be sent" : "\(Words.photos(failed.count)) could not be sent"
            let unknown = failed.contains { !$0.mayBeTriedAgain }
            return Message(
                title: unknown ? "No answer came for \(last.name)" : title, canTryAgain: !unknown, isFinal: true)
        }
        let done = photos.filter { $0.state == .succeeded }
        guard let last = done.last else { return nil }
        let title = done.count == 1 ? "\(last.name) is in the album" : "\(done.count) photos are in the album"
        return Message(title: title, isFinal: true)
    }
}
