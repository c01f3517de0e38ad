/// How a user name and a password reach a server: those of the transfer's `Authorization: Basic` field, or of its credential.
public enum HTTPAuthentication: Int, Equatable, Sendable {
    /// The field goes with every request as it is.
    case preemptive = 0
    /// The password is never sent; the server's challenge is answered with a digest of it (RFC 7616, `--digest`).
    case digest = 1
    /// The ticket of the person's Kerberos login is shown, and no password is needed (RFC 4559, `--negotiate`). It takes a request
    /// without a body.
    case negotiate = 2
    /// Whichever of the above the server asks for, the safest first (`--anyauth`).
    case any = 3
}

/// A certificate that says who asks, for servers that want one, with the key that proves it.
public struct ClientCertificate: Equatable, Sendable, CustomStringConvertible {
    /// The absolute path of a file in PEM form, or in PKCS#12 form if its name ends in `.p12` or `.pfx`, or a `pkcs11:` URI (RFC 7512),
    /// which takes a libcurl that has the engine for it.
    public var certificate: String
    /// The absolute path of the key's file in PEM form, or a `pkcs11:` URI; empty where the certificate's file holds the key.
    public var key: String
    /// What the key is encrypted with; empty if it is not.
    public var password: String

    /// Names a certificate.
    public init(certificate: String, key: String = "", password: String = "") {
        self.certificate = certificate
        self.key = key
        self.password = password
    }

    /// Without the password, and without a URI, in which a PIN may stand.
    public var description: String {
        certificate.isToken ? "a certificate on a token" : "the certificate \(certificate)"
    }

    /// What is wrong with it; `nil` when it can be used, as far as that can be told without looking.
    var refusal: TransferFailure? {
        for path in [certificate, key] where !path.isEmpty && !path.hasPrefix("/") && !path.isToken {
            return TransferFailure(
                .invalidArgument, "The path of a client certificate must be absolute, or a pkcs11: URI.")
        }
        return certificate.isEmpty
            ? TransferFailure(.invalidArgument, "A client certificate needs the file that it is in.") : nil
    }

    /// The form of the certificate and of its key, in libcurl's words.
    package var forms: (certificate: String, key: String) {
        let name = certificate.lowercased()
        let isBundle = name.hasSuffix(".p12") || name.hasSuffix(".pfx")
        return (certificate.isToken ? "ENG" : isBundle ? "P12" : "PEM", key.isToken ? "ENG" : "PEM")
    }
}

extension String {
    /// Whether it names something on a token (RFC 7512).
    package var isToken: Bool { prefix(7).lowercased() == "pkcs11:" }
}

extension NetworkOptions {
    /// What is wrong with what they say about who asks; `nil` when it can be used.
    func refusal(hasBody: Bool) -> TransferFailure? {
        if let failure = clientCertificate?.refusal { return failure }
        for path in [caFile, cookieFile, cookieJar, proxyCAFile] where !path.isEmpty && !path.hasPrefix("/") {
            return TransferFailure(.invalidArgument, "This path must be absolute: \(path)")
        }
        if !cookieJar.isEmpty, keepsCookiesWithSession {
            return TransferFailure(
                .invalidArgument, "Cookies are kept in a file or with the session, not in both: leave one of them out.")
        }
        let pins = pinnedPublicKeys
        let areDigests = pins.split(separator: ";").allSatisfy { Self.isKeyDigest($0) }
        if !pins.isEmpty, !pins.hasPrefix("/"), !areDigests {
            return TransferFailure(
                .invalidArgument,
                "A pinned key is written sha256//BASE64, several with ; between them, or as the absolute path of a file."
            )
        }
        if let failure = refusalOfTrustedKeys { return failure }
        if authentication == .negotiate, hasBody {
            return TransferFailure(
                .invalidArgument,
                "Kerberos (negotiate) takes a request without a body here: send it with digest, or with a token.")
        }
        return nil
    }
}
