/// What an app asks for: one download, upload or request. Its URL and header fields can be replaced afterwards, and until it begins its
/// dates, its patience and its destination can be changed.
///
/// Calls of a session such as `download(from:to:)` make one and submit it. Make them yourself to submit many at once.
public struct TransferSpec: Equatable, Sendable {
    /// The rule for a download whose file name is taken.
    @nonexhaustive public enum Collision: Equatable, Sendable {
        /// A number is added: `name (1).ext`.
        case number
        /// The existing file is replaced, at once and whole.
        case overwrite
        /// The transfer fails with `destinationExists`.
        case fail
    }

    /// What is moved, and in which direction.
    package enum Work: Equatable, Sendable {
        /// A response body to a file.
        indirect case download(DownloadSpec)
        /// A request body from files.
        case upload(UploadSpec)
        /// A small request whose response is kept; no file on either side.
        case request(body: [UInt8])

        /// The method of a client that names none.
        var usualMethod: String {
            switch self {
            case .download, .request: "GET"
            case .upload(.raw): "PUT"
            case .upload(.form), .upload(.tus): "POST"
            }
        }
    }

    /// What is moved, and in which direction.
    package var work: Work
    /// The HTTP method. For tus uploads it is not used.
    package var method: String
    /// The absolute `http` or `https` URL; for tus the creation URL.
    package var url: String
    /// Fields the app adds to every request of this transfer. Those whose names speak of a key, a token or the like are
    /// secret (`HeaderField.isSecret`) whether or not the app says so.
    package var headers: [HeaderField] {
        didSet { headers = headers.map(\.guarded) }
    }
    /// How the transfer takes part in the queue.
    @inlinable package var options: TransferOptions {
        @inline(__always) get { sharedOptions.value }
        _modify { yield &sharedOptions.value }
    }
    /// How connections are made.
    @inlinable package var network: NetworkOptions {
        @inline(__always) get { sharedNetwork.value }
        _modify { yield &sharedNetwork.value }
    }
    @usableFromInline package var sharedOptions: CopyOnWrite<TransferOptions>
    @usableFromInline package var sharedNetwork: CopyOnWrite<NetworkOptions>

    /// Describes a transfer.
    package init(
        work: Work, method: String, url: String, headers: [HeaderField] = [],
        options: TransferOptions = TransferOptions(), network: NetworkOptions = NetworkOptions()
    ) {
        self.work = work
        self.method = method
        self.url = url
        self.headers = headers.map(\.guarded)
        sharedOptions = CopyOnWrite(options)
        sharedNetwork = CopyOnWrite(network)
    }
}

extension TransferSpec {
    /// How many bytes will be moved, if that is known before the first attempt.
    package var knownLength: Int64? {
        switch work {
        case .download(let download): download.range == nil ? download.expectedLength.map { max(0, $0) } : nil
        case .upload(.raw(let source)), .upload(.tus(let source, _)): max(0, source.pin.size)
        case .upload(.form(let boundary, let parts)): FormLayout.segments(boundary: boundary, parts: parts).length
        case .request(let body): Int64(body.count)
        }
    }

    /// Where a download goes; `nil` for any other work.
    package var download: DownloadSpec? {
        get { if case .download(let download) = work { download } else { nil } }
        set { if let newValue { work = .download(newValue) } }
    }
}

/// Where a download goes.
package struct DownloadSpec: Equatable, Sendable {
    /// The absolute path of an existing directory.
    package var directory: String
    /// The file name; `nil` lets the server suggest one (RFC 6266), else the URL's last segment is used.
    package var fileName: String?
    /// What happens when the name is taken.
    package var collision: TransferSpec.Collision
    /// The digest that the whole file must have.
    package var expectedDigest: Digest?
    /// What is taken from the permissions of the finished file, as by umask(2); `nil` takes what the process that writes it
    /// has.
    package var creationMask: Int?
    /// Whether the finished file gets the date that the server tells as that of its last change.
    package var keepsRemoteTime = false
    /// The date of the file that is there, which stays where the server's is no newer; `nil` fetches it in any case.
    package var unchangedSince: WallTime?
    /// The part that is downloaded; `nil` for the whole.
    package var range: FilePart?
    /// The signature that the whole file must have.
    package var signature: DetachedSignature?
    /// Whether somebody reads the partial file while it grows: its bytes come in order, and are written as they come.
    package var isFollowed = false
    /// How long the file must be.
    package var expectedLength: Int64?
    /// The digests that its pieces must have.
    package var pieces: PieceDigests?
    /// Whether a file of that name, of which pieces may be wrong, is mended instead of fetched.
    package var repairs = false
    /// What another program left, with which it goes on where that can be proved right.
    package var foreign: ForeignPartial?
    /// The file that is there and stays if it is what is wanted; else it is replaced.
    package var existing: ExistingFile?
    /// The mount point that held the directory at submission, if the session may run without it: a removable drive, a share.
    package var mountPoint: String?

    /// Describes a destination.
    package init(
        directory: String, fileName: String? = nil, collision: TransferSpec.Collision = .number,
        expectedDigest: Digest? = nil
    ) {
        self.directory = directory
        self.fileName = fileName
        self.collision = collision
        self.expectedDigest = expectedDigest
    }
}

/// What an upload sends.
package enum UploadSpec: Equatable, Sendable {
    /// The file is the request body (PUT or POST).
    case raw(SourceFile)
    /// A `multipart/form-data` body (RFC 7578), streamed. The boundary is fixed so that every attempt sends the same bytes.
    case form(boundary: String, parts: [FormPart])
    /// tus 1.0.0: resumable. The metadata pairs go into `Upload-Metadata`.
    case tus(SourceFile, metadata: [MetadataPair])
}

/// One key and value of `Upload-Metadata` (tus 1.0.0).
package struct MetadataPair: Equatable, Sendable {
    /// ASCII, not empty, without space or comma.
    package var key: String
    /// Any text; it is sent in base64.
    package var value: String

    /// Pairs a key with its value.
    package init(key: String, value: String) {
        self.key = key
        self.value = value
    }
}

/// One part of a `multipart/form-data` body.
package struct FormPart: Equatable, Sendable {
    /// What the part holds.
    package enum Content: Equatable, Sendable {
        /// A text value, sent byte for byte; a file name and a content type are announced only if they are given.
        case text(String, fileName: String? = nil, contentType: String? = nil)
        /// A file with the base name and media type to announce.
        case file(SourceFile, fileName: String, contentType: String)
    }

    /// The form field's name.
    package var name: String
    /// What the part holds.
    package var content: Content

    /// Describes a part.
    package init(name: String, content: Content) {
        self.name = name
        self.content = content
    }
}

/// A digest over a whole representation.
public struct Digest: Hashable, Sendable {
    /// The digest algorithms Longhaul computes.
    @nonexhaustive public enum Algorithm: Hashable, Sendable {
        /// 128 bits; protects against accidents only (`Content-MD5`).
        case md5
        /// SHA-256.
        case sha256
        /// SHA-512.
        case sha512
        /// 160 bits; protects against accidents only.
        case sha1

        /// Reads `sha-256` and, as many write it, `sha256`.
        package init?(name: String) {
            switch name.lowercased() {
            case "sha-512", "sha512": self = .sha512
            case "sha-256", "sha256": self = .sha256
            case "sha-1", "sha1": self = .sha1
            case "md5": self = .md5
            default: return nil
            }
        }
    }

    /// The algorithm.
    public var algorithm: Algorithm
    /// The raw digest: 16, 20, 32 or 64 bytes.
    public var bytes: [UInt8]

    /// Takes a raw digest.
    public init(algorithm: Algorithm, bytes: [UInt8]) {
        self.algorithm = algorithm
        self.bytes = bytes
    }
}
