extension NetworkOptions {
    /// How Longhaul logs in to a server, with the user name and password of the transfer's `Authorization:
    /// Basic` header or its credential.
    @nonexhaustive public enum Authentication: Equatable, Sendable {
        /// Sends the header with every request.
        case preemptive
        /// Responds to the server's challenge with a digest and never sends the password (RFC 7616,
        /// `--digest`).
        case digest
        /// Presents the ticket of the user's Kerberos login, without a password (RFC 4559, `--negotiate`).
        /// Requires a request without a body.
        case negotiate
        /// Uses the safest of these methods that the server supports (`--anyauth`).
        case any
    }
}

package typealias HTTPAuthentication = NetworkOptions.Authentication

extension NetworkOptions {
    /// A certificate and its key, for servers that request one.
    public struct ClientCertificate: Equatable, Sendable, CustomStringConvertible {
        /// The absolute path of a PEM file, or of a PKCS#12 file whose name ends in `.p12` or `.pfx`, or a
        /// `pkcs11:` URI (RFC 7512). A URI requires a libcurl with that engine.
        package var certificate: String
        /// The absolute path of the key's PEM file, or a `pkcs11:` URI; `nil` if the certificate's file
        /// contains the key.
        package var key: String? { didSet { key = key?.nonEmpty } }
        /// The password that the key is encrypted with.
        package var password: String? { didSet { password = password?.nonEmpty } }

        /// Creates a reference to a certificate.
        public init(certificate: String, key: String? = nil, password: String? = nil) {
            self.certificate = certificate
            self.key = key?.nonEmpty
            self.password = password?.nonEmpty
        }

        /// The path of the certificate, without the password and without a URI, which may contain a PIN.
        public var description: String {
            certificate.isToken ? "a token certificate" : "the certificate \(certificate)"
        }

        /// Why the certificate cannot be used, as far as its text says; `nil` if it can.
        var refusal: TransferFailure? {
            for path in [certificate.nonEmpty, key].compactMap(\.self) where !path.hasPrefix("/") && !path.isToken {
                return TransferFailure(
                    .invalidArgument, "The path of a client certificate must be absolute, or a pkcs11: URI.")
            }
            return certificate.isEmpty
                ? TransferFailure(.invalidArgument, "A client certificate must have a path.") : nil
        }

        /// The form of the certificate and of its key, in libcurl's words.
        package var forms: (certificate: String, key: String) {
            let name = certificate.lowercased()
            let isBundle = name.hasSuffix(".p12") || name.hasSuffix(".pfx")
            return (certificate.isToken ? "ENG" : isBundle ? "P12" : "PEM", key?.isToken == true ? "ENG" : "PEM")
        }
    }
}

package typealias ClientCertificate = NetworkOptions.ClientCertificate

extension String {
    /// Whether it names an object on a token (RFC 7512).
    package var isToken: Bool { prefix(7).lowercased() == "pkcs11:" }
}

extension NetworkOptions {
    /// Why the options cannot be used; `nil` if they can.
    func refusal(hasBody: Bool, url: TransferURL) -> TransferFailure? {
        if proxySource == nil {
            do throws(TransferFailure) {
                _ = try proxyInUse(for: url)
            } catch {
                return TransferFailure(.invalidArgument, error.summary)
            }
        }
        if let failure = clientCertificate?.refusal { return failure }
        if let userAgent, let failure = OutgoingText.fault(inHeader: "User-Agent", userAgent) { return failure }
        for path in [caFile, cookieFile, cookieJar, proxyCAFile].compactMap(\.self) where !path.hasPrefix("/") {
            return TransferFailure(.invalidArgument, "The path \(path) must be absolute.")
        }
        if cookieJar != nil, keepsCookiesWithSession {
            return TransferFailure(
                .invalidArgument,
                "The cookie file and the cookies of the session exclude each other. Choose one of them.")
        }
        if let pins = pinnedPublicKeys, !pins.hasPrefix("/"),
            !pins.split(separator: ";").allSatisfy({ Self.isKeyDigest($0) })
        {
            return TransferFailure(
                .invalidArgument,
                "A pinned key must be sha256//BASE64, several of them separated by semicolons, or the absolute path of a file."
            )
        }
        if let failure = refusalOfTrustedKeys { return failure }
        if authentication == .negotiate, hasBody {
            return TransferFailure(
                .invalidArgument,
                "A request with a body cannot use Kerberos (negotiate). Use digest or a token.")
        }
        return nil
    }
}
