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
    var providers: [(token: ProviderToken, source: any CredentialSource)] = []

    /// The helper first: it needs nobody. Then the apps, the latest first.
    func sources(for question: CredentialQuestion) -> [any CredentialSource] {
        let all = (helper.map { [$0] } ?? []) + providers.reversed().map(\.source)
        return question.request.kind == .url ? all.filter(\.givesURLs) : all
    }

    var hasSource: Bool { helper != nil || !providers.isEmpty }
}
