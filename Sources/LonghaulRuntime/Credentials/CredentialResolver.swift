import LonghaulCore

/// Identifies an app that provides a session's credentials, until it leaves.
package struct ProviderToken: Hashable, Sendable {
    package var number: UInt64

    package init(number: UInt64) {
        self.number = number
    }
}

/// The sources of a session's credentials. They are in memory only; the store holds just the helper's command.
struct CredentialResolver {
    /// The session's helper, otherwise that of the process.
    var helper: (any CredentialSource)?
    /// The latest one comes last.
    private var providers: [(token: ProviderToken, source: any CredentialSource)] = []

    var hasSource: Bool { helper != nil || !providers.isEmpty }

    var providerCount: Int { providers.count }

    /// Adds an app that provides credentials; `nil` removes it.
    mutating func set(_ source: (any CredentialSource)?, for token: ProviderToken) {
        providers.removeAll { $0.token == token }
        if let source { providers.append((token, source)) }
    }

    mutating func inherit(from old: CredentialResolver) { providers = old.providers }

    /// Queries the sources in order, and returns at once. The helper comes first, because it needs no user; then the apps, latest
    /// first.
    func query(_ question: CredentialQuestion, answer: @escaping @Sendable (CredentialAnswer) -> Void) {
        let all = (helper.map { [$0] } ?? []) + providers.reversed().map(\.source)
        let sources = question.request.kind == .url ? all.filter(\.givesURLs) : all
        CredentialInquiry.run(question, sources[...], answer: answer)
    }
}

extension RuntimeEnvironment {
    /// Returns the helper with this command, otherwise that of the process.
    func helper(_ command: [String]) -> (any CredentialSource)? {
        let command = command.isEmpty ? credentialHelper : command
        return command.isEmpty ? nil : makeHelper(command)
    }
}
