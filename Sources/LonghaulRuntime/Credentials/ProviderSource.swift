package import LonghaulCore
import Synchronization

/// An app that provides a session's credentials. Requests wait here for its answers, which may take as long as the user needs.
package final class ProviderSource: CredentialSource {
    private struct State {
        var waiting: [UInt64: @Sendable (CredentialAnswer) -> Void] = [:]
        var hasLeft = false
    }

    private let deliver: @Sendable (CredentialQuestion) -> Void
    private let state = Mutex(State())

    /// `deliver` sends a request to the app and returns at once.
    package init(deliver: @escaping @Sendable (CredentialQuestion) -> Void) {
        self.deliver = deliver
    }

    package var givesURLs: Bool { true }

    package func query(_ question: CredentialQuestion, answer: @escaping @Sendable (CredentialAnswer) -> Void) {
        let isThere = state.withLock { state in
            if !state.hasLeft { state.waiting[question.number] = answer }
            return !state.hasLeft
        }
        if isThere { deliver(question) } else { answer(.none(.appLeft)) }
    }

    /// The app's answer; `nil` if it has none. A second answer to the same request is ignored.
    package func answer(_ number: UInt64, _ credential: Credential?) {
        let waiting = state.withLock { $0.waiting.removeValue(forKey: number) }
        waiting?(credential.map { .given($0, expiresAt: nil, isHelpers: false) } ?? .none(.appHasNone))
    }

    /// The app has left.
    package func close() {
        let waiting = state.withLock { state in
            state.hasLeft = true
            defer { state.waiting = [:] }
            return state.waiting
        }
        for answer in waiting.values { answer(.none(.appLeft)) }
    }
}
