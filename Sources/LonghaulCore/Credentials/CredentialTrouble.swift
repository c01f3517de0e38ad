/// Why there is no credential. It never holds anything that a helper or an app has said.
package enum CredentialTrouble: Error, Equatable, Sendable {
    /// There is no helper, and no app that gives the session's credentials is there.
    case nobody
    /// The helper ran and had none.
    case helperHasNone
    /// The helper could not be run, or did not do its work; the sentence says how.
    case helperFailed(String)
    /// The app had none.
    case appHasNone
    /// The app went away before it answered.
    case appLeft
    /// What was given had expired already.
    case expired
    /// What was given cannot be sent; the sentence says why.
    case unusable(String)
    /// The server refused it, also after it was renewed.
    case refused

    /// The sentence for a person: which credential, for whom, why, and what would help.
    package func failure(for scope: CredentialScope) -> TransferFailure {
        let what = scope.kind == .url ? "a new URL (credential \(scope.name))" : "the credential \(scope.name)"
        let host = Self.shown(scope.origin)
        let give = scope.kind == .url ? "" : " (longhaul credentials give \(scope.name) \(host) -u USER)"
        switch self {
        case .nobody:
            return Self.required(
                "Nobody is there to give \(what) for \(host)", advice: "open the app that has it, or give it\(give)")
        case .helperHasNone:
            return Self.required(
                "The helper does not have \(what) for \(host): store it there, then retry the transfer; open the app that has it; or give it\(give)."
            )
        case .helperFailed(let how):
            return Self.required(
                "The helper did not give \(what) for \(host): \(how). Mend it (longhaul credentials helper), then retry the transfer."
            )
        case .appHasNone:
            return Self.required("The app does not have \(what) for \(host): sign in there, then retry the transfer.")
        case .appLeft:
            return Self.required("The app left before it gave \(what) for \(host): open it again.")
        case .expired:
            return Self.required(
                "Only an expired one was given as \(what) for \(host): renew it, then retry the transfer.")
        case .unusable(let why):
            return Self.required("What was given as \(what) for \(host) cannot be used. \(why)")
        case .refused:
            return scope.kind == .url
                ? Self.required(
                    "\(host) refused the new URL as well: replace it, or retry the transfer.")
                : Self.required(
                    "\(host) refused \(what), also after it was asked for anew (401): give another one\(give), then retry the transfer."
                )
        }
    }

    /// An origin as people write it: without the port that goes without saying.
    private static func shown(_ origin: String) -> String {
        for (scheme, port) in [("https://", ":443"), ("http://", ":80")]
        where origin.hasPrefix(scheme) && origin.hasSuffix(port) {
            return String(origin.dropLast(port.utf8.count))
        }
        return origin
    }

    private static func required(_ sentence: String, advice: String? = nil) -> TransferFailure {
        TransferFailure(.credentialsRequired, sentence, advice: advice)
    }
}
