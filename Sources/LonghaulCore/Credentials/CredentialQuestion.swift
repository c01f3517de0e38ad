/// A request for one of a session's credentials.
public struct CredentialRequest: Equatable, Sendable {
    /// The name of the credential.
    public var name: String { credentialName.description }
    package var credentialName: CredentialName
    /// Whether Longhaul requests a new URL for a transfer instead of headers.
    public var isForURL: Bool { kind == .url }
    package var kind: CredentialKind
    /// The origin that receives the credential; with ``isForURL``, also the path of the expired URL. It
    /// contains no user, password, or query.
    public var url: String
    /// The user in the transfer's URL, if there is one.
    public var userName: String?
    /// The transfer that needs a new URL, with ``isForURL``.
    public var transfer: TransferID?
    /// The app's name for that transfer.
    public var transferKey: String?
    /// Whether the server refused the last credential: a cached credential must be renewed.
    public var isRenewal: Bool

    /// Initializes a request.
    package init(
        name: CredentialName, kind: CredentialKind, url: String, userName: String? = nil, transfer: TransferID? = nil,
        transferKey: String? = nil, isRenewal: Bool = false
    ) {
        self.credentialName = name
        self.kind = kind
        self.url = url
        self.userName = userName
        self.transfer = transfer
        self.transferKey = transferKey
        self.isRenewal = isRenewal
    }
}

/// The scope of an answer: Longhaul never sends a credential to another origin.
package struct CredentialScope: Hashable, Sendable {
    package var name: CredentialName
    /// `https://host:port`.
    package var origin: String
    package var userName: String?
    /// Set if the answer is for this transfer only.
    package var transfer: TransferID?

    package init(name: CredentialName, origin: String, userName: String? = nil, transfer: TransferID? = nil) {
        self.name = name
        self.origin = origin
        self.userName = userName
        self.transfer = transfer
    }

    package var kind: CredentialKind { transfer == nil ? .authorization : .url }
}

/// A pending request, with the number for its answer.
package struct CredentialQuestion: Equatable, Sendable {
    package var number: UInt64
    package var request: CredentialRequest

    package init(number: UInt64, request: CredentialRequest) {
        self.number = number
        self.request = request
    }
}

/// The answer to a question.
package enum CredentialAnswer: Equatable, Sendable {
    /// `isHelpers` if a helper gave the credential: Longhaul reports to the helper whether it worked.
    case given(Credential, expiresAt: WallTime?, isHelpers: Bool)
    case none(CredentialTrouble)
}

/// A report to a helper about its credential (git's `store` and `erase`).
package enum CredentialVerdict: String, Equatable, Sendable {
    case approved = "store"
    case rejected = "erase"
}
