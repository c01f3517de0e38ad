/// A request for one transfer: a download, an upload, or a small request. Its URL and headers can be replaced later. Until it begins,
/// its start time, timeouts, and destination can change too.
///
/// Calls of a session such as `download(from:to:)` create a spec and submit it. To submit many at once, create the specs yourself.
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

    /// The data to transfer, and the direction.
    package enum Work: Equatable, Sendable {
        /// A response body to a file.
        indirect case download(DownloadSpec)
        /// A request body from files.
        case upload(UploadSpec)
        /// A small request whose response is kept; no files are involved.
        case request(body: [UInt8])

        /// The default method.
        var usualMethod: String {
            switch self {
            case .download, .request: "GET"
            case .upload(.raw): "PUT"
            case .upload(.form), .upload(.tus): "POST"
            }
        }
    }

    /// The data to transfer, and the direction.
    package var work: Work
    /// The HTTP method. tus uploads do not use it.
    package var method: String
    /// The absolute `http` or `https` URL; for tus the creation URL.
    package var url: String
    /// The app's headers for every request of this transfer. Headers whose names suggest a key, a token, or the like are always
    /// secret (`HeaderField.isSecret`).
    package var headers: [HeaderField] {
        didSet { headers = headers.map(\.guarded) }
    }
    /// Options for the queue.
    @inlinable package var options: TransferOptions {
        @inline(__always) get { sharedOptions.value }
        _modify { yield &sharedOptions.value }
    }
    /// Options for connections.
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
    /// The number of bytes to transfer, if it is known before the first attempt.
    package var knownLength: Int64? {
        switch work {
        case .download(let download): download.range == nil ? download.expectedLength.map { max(0, $0) } : nil
        case .upload(.raw(let source)), .upload(.tus(let source, _)): max(0, source.pin.size)
        case .upload(.form(let boundary, let parts)): FormLayout.segments(boundary: boundary, parts: parts).length
        case .request(let body): Int64(body.count)
        }
    }

    /// The destination of a download; `nil` for any other work.
    package var download: DownloadSpec? {
        get { if case .download(let download) = work { download } else { nil } }
        set { if let newValue { work = .download(newValue) } }
    }
}

/// The destination of a download.
package struct DownloadSpec: Equatable, Sendable {
    /// The absolute path of an existing directory.
    package var directory: String
    /// The file name; `nil` for the server's suggestion (RFC 6266), otherwise the URL's last segment.
    package var fileName: String?
    /// The rule for a name that is taken.
    package var collision: TransferSpec.Collision
    /// The digest that the whole file must have.
    package var expectedDigest: Digest?
    /// The permission bits to clear in the finished file (umask(2)); `nil` for those of the process that writes it.
    package var creationMask: Int?
    /// Whether the finished file gets the modification time that the server sends.
    package var keepsRemoteTime = false
    /// The modification time of the existing file, which stays unless the server's is newer; `nil` to fetch the file in any case.
    package var unchangedSince: WallTime?
    /// The part that is downloaded; `nil` for the whole.
    package var range: FilePart?
    /// The signature that the whole file must have.
    package var signature: DetachedSignature?
    /// Whether the partial file is read while it grows: its bytes are received in order, and written at once.
    package var isFollowed = false
    /// The required length of the file.
    package var expectedLength: Int64?
    /// The required digests of its pieces.
    package var pieces: PieceDigests?
    /// Whether an existing file with wrong pieces is repaired instead of fetched.
    package var repairs = false
    /// Another program's partial file, to resume if it can be proven correct.
    package var foreign: ForeignPartial?
    /// The existing file, which stays if it is the requested one; otherwise it is replaced.
    package var existing: ExistingFile?
    /// The mount point that held the directory at submission, if the session may run without it: a removable drive, a share.
    package var mountPoint: String?

    /// Initializes a destination.
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

/// The data that an upload sends.
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

    /// Initializes a pair.
    package init(key: String, value: String) {
        self.key = key
        self.value = value
    }
}

/// One part of a `multipart/form-data` body.
package struct FormPart: Equatable, Sendable {
    /// The data of a part.
    package enum Content: Equatable, Sendable {
        /// A text value, sent byte for byte; a file name and a content type are announced only if they are given.
        case text(String, fileName: String? = nil, contentType: String? = nil)
        /// A file with the base name and media type to announce.
        case file(SourceFile, fileName: String, contentType: String)
    }

    /// The form field's name.
    package var name: String
    /// The data of the part.
    package var content: Content

    /// Initializes a part.
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

        /// Accepts `sha-256` and the common `sha256`.
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
