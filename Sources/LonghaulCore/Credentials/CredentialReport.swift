/// The state of a session's credentials, without secrets.
package struct CredentialReport: Equatable, Sendable {
    /// One credential for one server.
    package struct Entry: Equatable, Sendable {
        /// The state of a credential.
        package enum State: Int, Equatable, Sendable {
            /// In memory, ready to be sent.
            case held = 0
            /// A source was queried for it.
            case asking = 1
            /// The server refused it; it is requested again when a transfer needs it.
            case refused = 2
            /// No source had it.
            case lacking = 3
        }

        /// The credential.
        package var name: CredentialName
        /// The servers that receive it: scheme, host, and port.
        package var origin: String
        /// Its state.
        package var state: State
        /// Why it is missing.
        package var failure: TransferFailure?

        /// Initializes an entry.
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
    /// The number of connected apps that provide the session's credentials.
    package var providers: Int
    /// How many transfers wait for credentials.
    package var waiting: Int
    /// The credentials requested since the session was opened.
    package var entries: [Entry]

    /// Initializes every value.
    package init(helper: [String] = [], providers: Int = 0, waiting: Int = 0, entries: [Entry] = []) {
        self.helper = helper
        self.providers = providers
        self.waiting = waiting
        self.entries = entries
    }
}
