/// Why a credential is missing. It never contains output of a helper or an app.
package enum CredentialTrouble: Error, Equatable, Sendable {
    /// There is no helper, and no connected app provides the session's credentials.
    case nobody
    /// The helper ran and had none.
    case helperHasNone
    /// The helper could not run or failed; the sentence says how.
    case helperFailed(String)
    /// The app had none.
    case appHasNone
    /// The app left before it answered.
    case appLeft
    /// The credential had already expired.
    case expired
    /// The credential cannot be sent; the sentence says why.
    case unusable(String)
    /// The server refused it, even after a renewal.
    case refused

    /// Returns the failure for the user: which credential, for which server, why, and the remedy.
    package func failure(for scope: CredentialScope) -> TransferFailure {
        let (name, host) = (scope.name, Self.shown(scope.origin))
        switch (self, scope.kind) {
        case (.nobody, .authorization):
            return TransferFailure(
                .credentialsRequired, "No app or helper provides the credential \(name) for \(host)",
                advice: "open the app that has it, or run longhaul credentials give \(name) \(host) -u USER")
        case (.nobody, .url):
            return TransferFailure(
                .credentialsRequired, "No app or helper provides a new URL for \(host) (credential \(name))",
                advice: "open the app that has it, or replace the URL")
        case (.helperHasNone, .authorization):
            return TransferFailure(
                .credentialsRequired,
                "The helper does not have the credential \(name) for \(host). Store it there and retry the transfer, open the app that has it, or run longhaul credentials give \(name) \(host) -u USER."
            )
        case (.refused, .authorization):
            return TransferFailure(
                .credentialsRequired,
                "\(host) rejected the credential \(name), even after a new request for it (401). Run longhaul credentials give \(name) \(host) -u USER, then retry the transfer."
            )
        case (.refused, .url):
            return TransferFailure(
                .credentialsRequired,
                "\(host) rejected the new URL too (credential \(name)). Replace it, or retry the transfer.")
        case (.helperHasNone, .url):
            return TransferFailure(
                .credentialsRequired,
                "The credential helper has no credential \(name) for \(host). Add it to the helper, then retry the transfer."
            )
        case (.helperFailed(let how), _):
            return TransferFailure(
                .credentialsRequired,
                "The helper did not provide the credential \(name) for \(host): \(how). Fix the helper (longhaul credentials helper), then retry the transfer."
            )
        case (.appHasNone, _):
            return TransferFailure(
                .credentialsRequired,
                "The app does not have the credential \(name) for \(host). Log in there, then retry the transfer.")
        case (.appLeft, _):
            return TransferFailure(
                .credentialsRequired,
                "The app exited before it provided the credential \(name) for \(host). Open it again.")
        case (.expired, _):
            return TransferFailure(
                .credentialsRequired,
                "The credential \(name) for \(host) has expired. Renew it, then retry the transfer.")
        case (.unusable(let why), _):
            return TransferFailure(
                .credentialsRequired, "The credential \(name) for \(host) cannot be used. \(why)")
        }
    }

    /// Returns an origin in the usual form, without the default port.
    private static func shown(_ origin: String) -> String {
        for (scheme, port) in [("https://", ":443"), ("http://", ":80")]
        where origin.hasPrefix(scheme) && origin.hasSuffix(port) {
            return String(origin.dropLast(port.utf8.count))
        }
        return origin
    }
}
