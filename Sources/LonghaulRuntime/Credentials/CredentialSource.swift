package import LonghaulCore

/// A source of a session's credentials: a helper or an app.
package protocol CredentialSource: Sendable {
    /// Whether it can also provide new URLs.
    var givesURLs: Bool { get }
    /// Returns at once; `answer` is called once, on any thread.
    func query(_ question: CredentialQuestion, answer: @escaping @Sendable (CredentialAnswer) -> Void)
    /// Reports whether the server accepted a credential of this source; returns at once.
    func report(_ verdict: CredentialVerdict, _ credential: Credential, for request: CredentialRequest)
}

extension CredentialSource {
    package func report(_ verdict: CredentialVerdict, _ credential: Credential, for request: CredentialRequest) {}
}

/// Queries the sources in order until one has an answer.
enum CredentialInquiry {
    static func run(
        _ question: CredentialQuestion, _ sources: ArraySlice<any CredentialSource>,
        _ trouble: CredentialTrouble = .nobody, answer: @escaping @Sendable (CredentialAnswer) -> Void
    ) {
        guard let first = sources.first else { return answer(.none(trouble)) }
        let others = sources.dropFirst()
        first.query(question) { given in
            if case .none(let trouble) = given {
                run(question, others, trouble, answer: answer)
            } else {
                answer(given)
            }
        }
    }
}
