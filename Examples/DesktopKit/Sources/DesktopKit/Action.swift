/// An action on a transfer and its file. An action has the same symbol and word in every window.
public enum Action: CaseIterable {
    case download
    case pause
    case resume
    /// Ends a transfer that has not ended.
    case cancel
    case retry
    /// Removes an ended transfer from the list; its file stays.
    case remove
    /// Moves a file to the trash.
    case delete
    /// Opens a video in the user's player.
    case play

    /// The icon of the action's button; `nil` for playing, whose usual symbol is the same as that for resuming.
    public var icon: String? {
        switch self {
        case .download: "folder-download-symbolic"
        case .pause: "media-playback-pause-symbolic"
        case .resume: "media-playback-start-symbolic"
        case .cancel: "media-playback-stop-symbolic"
        case .retry: "view-refresh-symbolic"
        case .remove: "list-remove-symbolic"
        case .delete: "user-trash-symbolic"
        case .play: nil
        }
    }

    /// The word on a button, and the tooltip of an icon.
    public var word: String {
        switch self {
        case .download: tr("Download")
        case .pause: tr("Pause")
        case .resume: tr("Resume")
        case .cancel: tr("Cancel")
        case .retry: tr("Retry")
        case .remove: tr("Remove")
        case .delete: tr("Delete")
        case .play: tr("Play")
        }
    }

    /// Returns the word and the name of the transfer, for assistive tools.
    public func words(for name: String) -> String {
        switch self {
        case .download: tr("Download %1", name)
        case .pause: tr("Pause %1", name)
        case .resume: tr("Resume %1", name)
        case .cancel: tr("Cancel %1", name)
        case .retry: tr("Retry %1", name)
        case .remove: tr("Remove %1", name)
        case .delete: tr("Delete %1", name)
        case .play: tr("Play %1", name)
        }
    }

    /// Returns the labels of the buttons of notifications, with the words of the windows.
    public static func notificationLabels(cancel: String) -> [NotificationSettings.Action: String] {
        [.open: tr("Open"), .pause: pause.word, .resume: resume.word, .retry: retry.word, .cancel: cancel]
    }

    /// Shows the action on a button.
    public func show(on button: Widget, for name: String) {
        if let icon { gtk_button_set_icon_name(button.cast(), icon) } else { gtk_button_set_label(button.cast(), word) }
        self.name(button, for: name)
    }

    /// Names a button for its tooltip and for assistive tools.
    public func name(_ button: Widget, for name: String) {
        // A tooltip would repeat the word on the button.
        gtk_widget_set_tooltip_text(button, icon == nil ? nil : word)
        desktop_set_label(button, words(for: name))
    }

    /// Returns a sentence about the bytes or the file that the action loses; `nil` if it loses nothing.
    public func loss(of transfer: TransferSnapshot) -> String? {
        let bytes = TransferSnapshot.size(transfer.bytesDone)
        switch self {
        case .cancel where transfer.bytesDone > 0: return tr("%1 of progress will be lost.", bytes)
        case .cancel: return tr("It will not be transferred.")
        case .pause where transfer.losesBytesWhenStopped && transfer.bytesDone > 0:
            return tr("It cannot be resumed: a pause loses %1.", bytes)
        case .remove where transfer.hasPartialFile: return tr("A retry could resume it. Its removal loses %1.", bytes)
        case .delete: return tr("The file moves to the trash.")
        case .download, .pause, .resume, .retry, .remove, .play: return nil
        }
    }

    /// Calls `body` immediately, or after the user has confirmed an action that loses something.
    public func confirm(
        for transfer: TransferSnapshot?, named name: String, over window: Widget, then body: @escaping () -> Void
    ) {
        guard let transfer, let loss = loss(of: transfer) else { return body() }
        // In a dialog, a button "Cancel" closes the dialog without an action.
        let word =
            switch (self, transfer.direction) {
            case (.cancel, .download): tr("Cancel Download")
            case (.cancel, .upload): tr("Cancel Upload")
            case (.cancel, _): tr("Cancel Transfer")
            default: self.word
            }
        let dialog: Widget = adw_message_dialog_new(window.cast(), words(for: "“\(name)”") + "?", loss)
        adw_message_dialog_add_response(dialog.cast(), "keep", tr("_Keep"))
        adw_message_dialog_add_response(dialog.cast(), "act", word)
        adw_message_dialog_set_response_appearance(dialog.cast(), "act", ADW_RESPONSE_DESTRUCTIVE)
        adw_message_dialog_set_default_response(dialog.cast(), "keep")
        adw_message_dialog_set_close_response(dialog.cast(), "keep")
        on(dialog, "response", with: { if $0.string(1) == "act" { body() } })
        gtk_window_present(dialog.cast())
    }
}

extension TransferSnapshot {
    /// Whether a retry of a failed download resumes from bytes that its removal deletes.
    fileprivate var hasPartialFile: Bool {
        guard case .failed = state else { return false }
        return direction == .download && bytesDone > 0
    }
}
