/// What a server showed that was not trusted, for whoever decides about it. It was read after the failure, over a connection of its own
/// on which nothing was sent.
public struct ServerCertificate: Equatable, Sendable {
    /// The server: `https://host:port`.
    public var origin: String
    /// Whom the certificate names, such as `CN=nas.example`. The server chose these words.
    public var subject: String
    /// Who vouches for it. As long as nobody trusts that, these words are the server's as well.
    public var issuer: String
    /// From when it is valid.
    public var validFrom: WallTime
    /// Until when it is valid.
    public var validUntil: WallTime
    /// The SHA-256 digest of the certificate, in hexadecimal digits.
    public var fingerprint: String
    /// Its public key, as `sha256//BASE64`.
    public var publicKey: String

    /// Describes a certificate.
    public init(
        origin: String, subject: String, issuer: String, validFrom: WallTime, validUntil: WallTime,
        fingerprint: String, publicKey: String
    ) {
        self.origin = origin
        self.subject = subject
        self.issuer = issuer
        self.validFrom = validFrom
        self.validUntil = validUntil
        self.fingerprint = fingerprint
        self.publicKey = publicKey
    }

    /// What is trusted when somebody accepts it: this key, for this server alone.
    public var key: TrustedKey { TrustedKey(origin: origin, publicKey: publicKey) }

    /// In one sentence.
    package var sentence: String {
        let dates = [validFrom, validUntil].map { CivilTime(secondsSince1970: $0.seconds).text().prefix(10) }
        return "It shows \"\(subject)\" by \"\(issuer)\", valid from \(dates[0]) until \(dates[1]), "
            + "with the key \(publicKey)."
    }
}

/// A public key that somebody has accepted for one server, whoever vouches for it. No other key of that server is accepted then.
public struct TrustedKey: Equatable, Sendable {
    /// The server: `https://host:port`.
    public var origin: String
    /// The key, as `sha256//BASE64`.
    public var publicKey: String

    /// Names a key and its server.
    public init(origin: String, publicKey: String) {
        self.origin = origin
        self.publicKey = publicKey
    }
}

extension NetworkOptions {
    /// The key that was accepted for this server.
    package func trustedKey(of url: TransferURL) -> String? {
        if trustedKeys.isEmpty { return nil }
        let origin = url.origin
        return trustedKeys.first { $0.origin == origin }?.publicKey
    }

    /// Accepts a key in the place of an earlier one of the same server.
    package func trusting(_ key: TrustedKey) -> NetworkOptions {
        var network = self
        network.trustedKeys = trustedKeys.filter { $0.origin != key.origin } + [key]
        return network
    }

    /// What is wrong with the keys that were accepted.
    var refusalOfTrustedKeys: TransferFailure? {
        for key in trustedKeys {
            let url = try? TransferURL(parsing: key.origin)
            guard url?.scheme == "https", url?.origin == key.origin, Self.isKeyDigest(key.publicKey) else {
                return TransferFailure(
                    .invalidArgument, "A key is trusted for https://host:port, and is written sha256//BASE64.")
            }
            guard pinnedPublicKeys.isEmpty || pinnedPublicKeys == key.publicKey else {
                return TransferFailure(
                    .invalidArgument, "The transfer has pinned public keys; only a single one of them can be accepted.")
            }
        }
        return nil
    }

    /// Whether it is the SHA-256 digest of a public key as curl writes it.
    static func isKeyDigest(_ text: some StringProtocol) -> Bool {
        text.hasPrefix("sha256//") && Base64.decode(text.dropFirst(8))?.count == 32
    }
}
