/// A question for one of a session's credentials.
public struct CredentialRequest: Equatable, Sendable {
    /// Which credential.
    public var name: CredentialName
    /// What it is to be: fields for requests, or a new URL for one transfer.
    public var kind: CredentialKind
    /// To whom it will be sent: the origin, and with ``CredentialKind/url`` the path of the URL that has expired. It
    /// never has a user, a password or a query.
    public var url: String
    /// The user that the transfer's URL names, if it names one.
    public var userName: String?
    /// With ``CredentialKind/url``: the transfer whose URL is wanted.
    public var transfer: TransferID?
    /// The app's own name for that transfer.
    public var transferKey: String?
    /// Whether the server refused the last one: what is kept somewhere must be renewed.
    public var isRenewal: Bool

    /// Asks for a credential.
    package init(
        name: CredentialName, kind: CredentialKind, url: String, userName: String? = nil, transfer: TransferID? = nil,
        transferKey: String? = nil, isRenewal: Bool = false
    ) {
        self.name = name
        self.kind = kind
        self.url = url
        self.userName = userName
        self.transfer = transfer
        self.transferKey = transferKey
        self.isRenewal = isRenewal
    }
}

/// For what one answer holds: a credential is never sent beyond the origin that it was asked for.
package struct CredentialScope: Hashable, Sendable {
    package var name: CredentialName
    /// `https://host:port`.
    package var origin: String
    package var userName: String?
    /// Set where the answer is for one transfer alone.
    package var transfer: TransferID?

    package init(name: CredentialName, origin: String, userName: String? = nil, transfer: TransferID? = nil) {
        self.name = name
        self.origin = origin
        self.userName = userName
        self.transfer = transfer
    }

    package var kind: CredentialKind { transfer == nil ? .authorization : .url }
}

/// One request on its way, with the number that its answer carries.
package struct CredentialQuestion: Equatable, Sendable {
    package var number: UInt64
    package var request: CredentialRequest

    package init(number: UInt64, request: CredentialRequest) {
        self.number = number
        self.request = request
    }
}

/// What came of a question.
package enum CredentialAnswer: Equatable, Sendable {
    /// `isHelpers` when a helper gave it, which is then told whether it worked.
    case given(Credential, expiresAt: WallTime?, isHelpers: Bool)
    case none(CredentialTrouble)
}

/// What a helper is told about a credential that it gave (git's `store` and `erase`).
package enum CredentialVerdict: String, Equatable, Sendable {
    case approved = "store"
    case rejected = "erase"
}
