import LonghaulCore

/// Names an app that gives a session's credentials, for as long as it is there.
package struct ProviderToken: Hashable, Sendable {
    package var number: UInt64

    package init(number: UInt64) {
        self.number = number
    }
}

/// Who can be asked for a session's credentials. All of them live in memory; only the helper's command is stored.
struct CredentialDesk {
    /// The session's helper, else the one of whoever runs the session.
    var helper: (any CredentialSource)?
    /// The latest comes last.
    private var providers: [(token: ProviderToken, source: any CredentialSource)] = []

    var hasSource: Bool { helper != nil || !providers.isEmpty }

    var providerCount: Int { providers.count }

    /// An app gives credentials from now on; `nil` when it does not any more.
    mutating func set(_ source: (any CredentialSource)?, for token: ProviderToken) {
        providers.removeAll { $0.token == token }
        if let source { providers.append((token, source)) }
    }

    mutating func inherit(from old: CredentialDesk) { providers = old.providers }

    /// Asks one after the other, and returns at once. The helper comes first: it needs nobody. Then the apps, the latest first.
    func ask(_ question: CredentialQuestion, answer: @escaping @Sendable (CredentialAnswer) -> Void) {
        let all = (helper.map { [$0] } ?? []) + providers.reversed().map(\.source)
        let sources = question.request.kind == .url ? all.filter(\.givesURLs) : all
        CredentialInquiry.run(question, sources[...], answer: answer)
    }
}

extension RuntimeEnvironment {
    /// The helper with this command, else the one of whoever runs the session.
    func helper(_ command: [String]) -> (any CredentialSource)? {
        let command = command.isEmpty ? credentialHelper : command
        return command.isEmpty ? nil : makeHelper(command)
    }
}
