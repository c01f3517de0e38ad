/// How a session's credentials are, without anything secret.
package struct CredentialReport: Equatable, Sendable {
    /// One credential for one server.
    package struct Entry: Equatable, Sendable {
        /// Where it is.
        package enum State: Int, Equatable, Sendable {
            /// In memory, ready to be sent.
            case held = 0
            /// Somebody was asked for it.
            case asking = 1
            /// The server refused it; it is asked for when a transfer needs it.
            case refused = 2
            /// Nobody had it.
            case lacking = 3
        }

        /// The credential.
        package var name: CredentialName
        /// To whom it is sent: scheme, host and port.
        package var origin: String
        /// Where it is.
        package var state: State
        /// Why it is lacking.
        package var failure: TransferFailure?

        /// Describes one.
        package init(name: CredentialName, origin: String, state: State, failure: TransferFailure? = nil) {
            self.name = name
            self.origin = origin
            self.state = state
            self.failure = failure
        }

        func with(_ state: State, _ failure: TransferFailure? = nil) -> Entry {
            Entry(name: name, origin: origin, state: state, failure: failure)
        }
    }

    /// The helper's command and its arguments; empty for none.
    package var helper: [String]
    /// How many apps that give the session's credentials are there.
    package var providers: Int
    /// How many transfers wait for credentials.
    package var waiting: Int
    /// What was asked for since the session was opened.
    package var entries: [Entry]

    /// Takes every value.
    package init(helper: [String] = [], providers: Int = 0, waiting: Int = 0, entries: [Entry] = []) {
        self.helper = helper
        self.providers = providers
        self.waiting = waiting
        self.entries = entries
    }
}
