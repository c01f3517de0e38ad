/// A certificate that a server presented and that is not trusted, for the user to decide about. Longhaul
/// reads it after the failure, over a separate connection.
public struct ServerCertificate: Equatable, Sendable {
    /// The server: `https://host:port`.
    public var origin: String
    /// The name in the certificate, such as `CN=nas.example`. The server chose these words.
    public var subject: String
    /// The issuer of the certificate. Unless the issuer is trusted, the server chose these words as well.
    public var issuer: String
    /// The start of its validity.
    public var validFrom: WallTime
    /// The end of its validity.
    public var validUntil: WallTime
    /// The SHA-256 digest of the certificate, in hexadecimal digits.
    public var fingerprint: String
    /// The public key, as `sha256//BASE64`.
    package var publicKey: String

    package init(
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

    package var key: TrustedKey { TrustedKey(origin: origin, publicKey: publicKey) }

    /// The certificate as text that the user can compare, after the sentence of a failure.
    package var sentence: String {
        let dates = [validFrom, validUntil].map { CivilTime(secondsSince1970: $0.seconds).text().prefix(10) }
        return "Subject: \(subject); issuer: \(issuer); valid from \(dates[0]) until \(dates[1]); "
            + "public key: \(publicKey); SHA-256 fingerprint: \(fingerprint)."
    }
}

/// A public key that the user accepted for one server. Longhaul accepts no other key of that server.
package struct TrustedKey: Equatable, Sendable {
    /// `https://host:port`
    package var origin: String
    /// `sha256//BASE64`
    package var publicKey: String

    package init(origin: String, publicKey: String) {
        self.origin = origin
        self.publicKey = publicKey
    }
}

extension NetworkOptions {
    /// Returns the key that was accepted for this server.
    package func trustedKey(of url: TransferURL) -> String? {
        trustedKeys.isEmpty ? nil : trustedKeys[url.origin]
    }

    /// Returns options that accept a key instead of an earlier key of the same server.
    package func trusting(_ key: TrustedKey) -> NetworkOptions {
        var network = self
        network.trustedKeys[key.origin] = key.publicKey
        return network
    }

    /// Why the accepted keys cannot be used; `nil` if they can.
    var refusalOfTrustedKeys: TransferFailure? {
        for (origin, key) in trustedKeys {
            let url = try? TransferURL(parsing: origin)
            guard url?.scheme == "https", url?.origin == origin, Self.isKeyDigest(key) else {
                return TransferFailure(
                    .invalidArgument, "An accepted key must be sha256//BASE64, for a server https://host:port.")
            }
            guard pinnedPublicKeys == nil || pinnedPublicKeys == key else {
                return TransferFailure(
                    .invalidArgument, "The transfer has several pinned public keys. Only a single one can be accepted.")
            }
        }
        return nil
    }

    /// Returns whether it is the SHA-256 digest of a public key in curl's form.
    static func isKeyDigest(_ text: some StringProtocol) -> Bool {
        text.hasPrefix("sha256//") && Base64.decode(text.dropFirst(8))?.count == 32
    }
}
