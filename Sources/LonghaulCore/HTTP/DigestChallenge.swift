/// A server's challenge for Digest authentication, which does not send the password (RFC 7616).
package struct DigestChallenge: Equatable, Sendable {
    private var realm: String
    private var nonce: String
    private var opaque: String?
    /// The name as the server wrote it; `nil` if it was omitted.
    private var algorithmName: String?
    /// MD5 or SHA-256.
    package let algorithm: Digest.Algorithm
    private var bindsSession: Bool
    private var protectsReplay: Bool
    /// Whether the last response was correct and only its nonce had expired.
    package let isStale: Bool

    /// Initializes the strongest supported challenge; `nil` if there is none.
    package init?(among challenges: [Challenge]) {
        let known = challenges.compactMap(DigestChallenge.init)
        guard let best = known.first(where: { $0.algorithm == .sha256 }) ?? known.first else { return nil }
        self = best
    }

    private init?(_ challenge: Challenge) {
        guard challenge.scheme == "digest", let nonce = challenge.parameters["nonce"],
            let realm = challenge.parameters["realm"]
        else { return nil }
        algorithmName = challenge.parameters["algorithm"]
        switch algorithmName?.lowercased() {
        case nil, "md5": (algorithm, bindsSession) = (.md5, false)
        case "md5-sess": (algorithm, bindsSession) = (.md5, true)
        case "sha-256": (algorithm, bindsSession) = (.sha256, false)
        case "sha-256-sess": (algorithm, bindsSession) = (.sha256, true)
        default: return nil
        }
        let qualities = challenge.parameters["qop"]?.lowercased().split { $0 == "," || $0 == " " }
        // No server requires a digest of the body as well.
        if let qualities, !qualities.contains("auth") { return nil }
        protectsReplay = qualities != nil
        self.realm = realm
        self.nonce = nonce
        opaque = challenge.parameters["opaque"]
        isStale = challenge.parameters["stale"]?.lowercased() == "true"
    }

    /// Returns the response for one request, the `count`-th with this nonce. `hash` returns a digest in hexadecimal digits.
    package func answer(
        user: String, password: String, method: String, target: String, count: Int, clientNonce: String,
        hash: (String) -> String
    ) -> HeaderField {
        var secret = hash("\(user):\(realm):\(password)")
        if bindsSession { secret = hash("\(secret):\(nonce):\(clientNonce)") }
        let request = hash("\(method):\(target)")
        let digits = String(count, radix: 16)
        let number = String(repeating: "0", count: max(8 - digits.count, 0)) + digits
        let response =
            protectsReplay
            ? hash("\(secret):\(nonce):\(number):\(clientNonce):auth:\(request)")
            : hash("\(secret):\(nonce):\(request)")
        var parts = [
            "username=\(Self.quoted(user))", "realm=\(Self.quoted(realm))", "nonce=\(Self.quoted(nonce))",
            "uri=\(Self.quoted(target))", "response=\"\(response)\"",
        ]
        if let algorithmName { parts.append("algorithm=\(algorithmName)") }
        if let opaque { parts.append("opaque=\(Self.quoted(opaque))") }
        if protectsReplay { parts.append("qop=auth, nc=\(number)") }
        if protectsReplay || bindsSession { parts.append("cnonce=\"\(clientNonce)\"") }
        return HeaderField("Authorization", "Digest " + parts.joined(separator: ", "), isSecret: true)
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for character in text.unicodeScalars {
            if character == "\"" || character == "\\" { quoted += "\\" }
            quoted.unicodeScalars.append(character)
        }
        return quoted + "\""
    }
}
