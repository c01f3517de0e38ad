package typealias NotificationKind = NotificationSettings.Kind
package typealias NotificationAction = NotificationSettings.Action
package typealias NotificationWording = NotificationSettings.Wording

extension NotificationSettings {
    /// The kinds of notifications about transfers.
    @nonexhaustive public enum Kind: Hashable, Sendable, CaseIterable {
        /// The app has exited, and its transfers continue without it.
        case handedOver
        /// Transfers are active. It is updated at most once per second.
        case progress
        /// Transfers have succeeded, and no other transfer is active.
        case finished
        /// Transfers have failed.
        case failed
        /// The app that ran the transfers was killed.
        case interrupted
        /// Transfers wait for the user, for example for a password.
        case needsYou
        /// The user paused transfers from a notification. It appears even if ``NotificationSettings/kinds`` does not contain it, because it
        /// has the button that resumes them.
        case paused
    }

    /// The actions of a notification.
    @nonexhaustive public enum Action: Hashable, Sendable, CaseIterable {
        /// Opens the app: a click on the notification itself. Every notification has this action.
        case open
        /// Pauses active transfers; asks first if that loses bytes.
        case pause
        /// Resumes paused transfers.
        case resume
        /// Cancels transfers that have not ended, after a question.
        case cancel
        /// Retries transfers that have failed or wait for the user.
        case retry

        /// The action's key on the bus; that of a click on the notification is `default` (Desktop Notifications Specification).
        package var key: String {
            switch self {
            case .open: "default"
            case .pause: "pause"
            case .resume: "resume"
            case .cancel: "cancel"
            case .retry: "retry"
            }
        }

        package init?(key: String) {
            guard let action = Self.allCases.first(where: { $0.key == key }) else { return nil }
            self = action
        }
    }

    /// The text of a notification about one transfer, and about several.
    ///
    /// A text can contain placeholders: `{name}`, `{host}`, and `{reason}` of the newest transfer; `{count}`, the number of
    /// transfers that the notification is about; `{done}`, `{total}`, and `{percent}` of all transfers. Write a brace twice to show
    /// it.
    public struct Wording: Hashable, Sendable {
        package var one: NotificationText
        package var several: NotificationText

        package init(one: NotificationText, several: NotificationText) {
            self.one = one
            self.several = several
        }

        /// Creates the text for one transfer and for several.
        public init(_ title: String, body: String? = nil, severalTitle: String, severalBody: String? = nil) {
            one = NotificationText(title, body: body ?? "")
            several = NotificationText(severalTitle, body: severalBody ?? "")
        }

        /// Returns the English text for a kind without a wording of the app.
        package static func standard(_ kind: NotificationKind) -> NotificationWording {
            switch kind {
            case .handedOver:
                NotificationWording(
                    one: NotificationText("Continuing in the background", body: "{name}"),
                    several: NotificationText("Continuing in the background", body: "{count} transfers"))
            case .progress:
                NotificationWording(
                    one: NotificationText("{name}", body: "{percent}% · {done} of {total} done"),
                    several: NotificationText("{count} transfers active", body: "{percent}% · {done} of {total} done"))
            case .finished:
                NotificationWording(
                    one: NotificationText("Finished", body: "{name}"),
                    several: NotificationText("{count} transfers finished", body: "The last one: {name}"))
            case .failed:
                NotificationWording(
                    one: NotificationText("{name} failed", body: "{reason}"),
                    several: NotificationText("{count} transfers failed", body: "The last one: {name}. {reason}"))
            case .interrupted:
                NotificationWording(
                    one: NotificationText("A transfer was interrupted", body: "{name}"),
                    several: NotificationText("{count} transfers were interrupted", body: "The app was killed."))
            case .needsYou:
                NotificationWording(
                    one: NotificationText("{name} needs you", body: "{reason}"),
                    several: NotificationText("{count} transfers need you", body: "The last one: {name}. {reason}"))
            case .paused:
                NotificationWording(
                    one: NotificationText("Paused", body: "{name}"),
                    several: NotificationText("{count} transfers paused"))
            }
        }
    }
}

/// A title of one line, and a body that can be empty.
package struct NotificationText: Hashable, Sendable {
    package var title: String
    package var body: String

    package init(_ title: String, body: String = "") {
        self.title = title
        self.body = body
    }
}
