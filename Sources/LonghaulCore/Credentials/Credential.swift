/// A secret for a server. Longhaul keeps it only in memory and never stores, lists, or logs it.
@nonexhaustive public enum Credential: Equatable, Sendable {
    /// HTTP Basic authentication (RFC 7617).
    case basic(userName: String, password: String)
    /// A token (RFC 6750).
    case bearer(String)
    /// Any other header, such as `X-Api-Key`. It is always secret.
    case header(HeaderField)
    /// A new URL for the transfer. `headers` replace all headers of the transfer; `nil` keeps them.
    case url(String, headers: [HeaderField]?)

    /// The headers to add to a request; all of them are secret.
    package var fields: [HeaderField] {
        switch self {
        case .basic(let userName, let password):
            [HeaderField("Authorization", "Basic " + Base64.encode((userName + ":" + password).utf8), isSecret: true)]
        case .bearer(let token): [HeaderField("Authorization", "Bearer " + token, isSecret: true)]
        case .header(let field): [HeaderField(field.name, field.value, isSecret: true)]
        case .url: []
        }
    }

    /// Returns why the credential cannot be used for this purpose, without anything secret; `nil` if it can.
    package func check(as kind: CredentialKind) -> TransferFailure? {
        switch (self, kind) {
        case (.url(let text, let headers), .url):
            do throws(TransferFailure) { _ = try TransferURL(parsing: text) } catch { return error }
            return headers.flatMap(Self.firstFlaw)
        case (.url, .authorization):
            return TransferFailure(
                .invalidArgument, "The credential must be a password, a token, or a header, not a URL.")
        case (_, .url):
            return TransferFailure(.invalidArgument, "The credential must be a new URL.")
        case (.basic(let userName, _), .authorization) where userName.utf8.contains(UInt8(ascii: ":")):
            return TransferFailure(.invalidArgument, "A user name must not contain a colon (RFC 7617).")
        case (.bearer(let token), .authorization) where token.isEmpty:
            return TransferFailure(.invalidArgument, "The token must not be empty.")
        case (.basic, .authorization), (.bearer, .authorization), (.header, .authorization):
            return Self.firstFlaw(fields)
        }
    }

    private static func firstFlaw(_ fields: [HeaderField]) -> TransferFailure? {
        for field in fields {
            if let failure = OutgoingText.fault(inHeader: field.name, field.value) { return failure }
        }
        return nil
    }
}

// Accidental printing must not reveal a secret.
extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind of the credential, without the secret.
    public var description: String {
        switch self {
        case .basic: "basic (secret)"
        case .bearer: "bearer (secret)"
        case .header(let field): "header \(field.name) (secret)"
        case .url: "url (secret)"
        }
    }

    /// The same as `description`.
    public var debugDescription: String { description }
    /// An empty mirror, since the credential is secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
