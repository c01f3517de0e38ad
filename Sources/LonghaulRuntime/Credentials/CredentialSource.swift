package import LonghaulCore

/// Somebody who can be asked for a session's credentials: a helper, or an app.
package protocol CredentialSource: Sendable {
    /// Whether new URLs can be had as well.
    var givesURLs: Bool { get }
    /// Asks and returns at once; `answer` is called once, on any thread.
    func ask(_ question: CredentialQuestion, answer: @escaping @Sendable (CredentialAnswer) -> Void)
    /// Tells whether a credential that it gave was taken; returns at once.
    func note(_ verdict: CredentialVerdict, _ credential: Credential, for request: CredentialRequest)
}

extension CredentialSource {
    package func note(_ verdict: CredentialVerdict, _ credential: Credential, for request: CredentialRequest) {}
}

/// Asks one source after the other until one has it.
enum CredentialInquiry {
    static func run(
        _ question: CredentialQuestion, _ sources: ArraySlice<any CredentialSource>,
        _ trouble: CredentialTrouble = .nobody, answer: @escaping @Sendable (CredentialAnswer) -> Void
    ) {
        guard let first = sources.first else { return answer(.none(trouble)) }
        let others = sources.dropFirst()
        first.ask(question) { given in
            if case .none(let trouble) = given {
                run(question, others, trouble, answer: answer)
            } else {
                answer(given)
            }
        }
    }
}
