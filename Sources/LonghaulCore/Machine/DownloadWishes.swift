/// A part of a remote file that is downloaded as if it were a whole file (`--range`).
package struct FilePart: Equatable, Sendable {
    /// The first byte, counted from 0. A negative number means the last bytes of the file, as many as its amount.
    package var first: Int64
    /// The last byte; `nil` for the rest of the file. The last bytes of a file have no other end.
    package var last: Int64?

    package init(first: Int64, last: Int64?) {
        self.first = first
        self.last = last
    }

    /// Whether any file can contain the part.
    var isPossible: Bool { isSuffix ? last == nil && first > .min : last.map { $0 >= first && $0 < .max } ?? true }

    /// Whether the part is counted from the end of the file, so that only a response reveals its start.
    var isSuffix: Bool { first < 0 }

    /// Returns the Range header for the part, from `offset` up to `end` bytes within the part. `length` is that of the part, if known;
    /// a suffix is shorter than requested if the file is.
    func field(from offset: Int64, to end: Int64? = nil, of length: Int64? = nil) -> HeaderField {
        if isSuffix { return HeaderField("Range", "bytes=-\((length ?? -first) - offset)") }
        let last = end.map { first + $0 - 1 } ?? last
        return HeaderField("Range", "bytes=\(first + offset)-" + (last.map { "\($0)" } ?? ""))
    }

    /// Returns the response as from a server that has only this part; `nil` if the server sends the whole file because
    /// it does not support ranges.
    package func seen(_ head: ResponseHead, isResumed: Bool) -> ResponseHead? {
        var seen = head
        // These digests are about the whole file.
        let digests = ["repr-digest", "content-digest", "digest", "content-md5"]
        seen.headers.removeAll { digests.contains($0.name.lowercased()) }
        switch head.status {
        case 200, 203:
            // A file that is not longer than the requested suffix is that suffix.
            if !isResumed, isSuffix, let length = head.announcedBodyLength, length <= -first { return seen }
            guard isResumed else { return nil }
            // The whole file instead of the rest: the version changed.
            seen.status = 412
        case 206:
            guard case .part(let from, let to, let total) = head.contentRange else { return seen }
            let first = start(in: total ?? to + 1)
            guard from >= first, !isSuffix || to + 1 == total ?? to + 1 else { return seen }
            let whole = (total ?? last.map { $0 + 1 }).map { length(of: $0) }
            seen.headers.removeAll { $0.isNamed("Content-Range") }
            if !isResumed, from == first, whole.map({ $0 == to - first + 1 }) ?? true {
                seen.status = 200
                // The response has just proved support for ranges.
                if seen.headers.all("Accept-Ranges").isEmpty {
                    seen.headers.append(HeaderField("Accept-Ranges", "bytes"))
                }
            } else {
                let text = whole.map { "\($0)" } ?? "*"
                seen.headers.append(HeaderField("Content-Range", "bytes \(from - first)-\(to - first)/\(text)"))
            }
        case 416:
            guard case .unsatisfied(let total) = head.contentRange else { return seen }
            seen.headers.removeAll { $0.isNamed("Content-Range") }
            seen.headers.append(HeaderField("Content-Range", "bytes */\(length(of: total))"))
        default: break
        }
        return seen
    }

    /// Returns the first byte of the part in a file of this length.
    private func start(in total: Int64) -> Int64 { isSuffix ? max(total + first, 0) : first }

    /// Returns the length of the part in a file of this length.
    private func length(of total: Int64) -> Int64 {
        max(min(total, last.map { $0 + 1 } ?? total) - start(in: total), 0)
    }
}

/// A detached OpenPGP signature that a file must have, and the keys that may have made it.
package struct DetachedSignature: Equatable, Sendable {
    /// The published signature.
    package var bytes: [UInt8]
    /// The absolute path of a keyring for `gpgv`.
    package var keyring: String

    package init(bytes: [UInt8], keyring: String) {
        self.bytes = bytes
        self.keyring = keyring
    }
}

extension DownloadSpec {
    /// The reason why the options are invalid; `nil` if they are valid.
    var refusal: TransferFailure? {
        if let range, !range.isPossible {
            return TransferFailure(.invalidArgument, "The end of a range must not be before its start.")
        }
        if range != nil, signature != nil || pieces != nil {
            return TransferFailure(
                .invalidArgument, "A part of a file cannot be verified by a signature or checksums of the whole file.")
        }
        if let signature, signature.bytes.isEmpty || !signature.keyring.hasPrefix("/") {
            return TransferFailure(
                .invalidArgument, "A signature must not be empty, and the path of its keyring must be absolute.")
        }
        if let foreign, !foreign.file.path.hasPrefix("/") {
            return TransferFailure(.invalidArgument, "The path of a file to resume must be absolute.")
        }
        if unchangedSince != nil || existing != nil, fileName == nil {
            return TransferFailure(.invalidArgument, "An update of an existing file must name the file.")
        }
        return nil
    }

    /// Returns the headers that request the missing bytes.
    func asking(for resume: ResumePoint?) -> [HeaderField] {
        var fields = resume.map { ResumeLadder.headers(for: $0, in: range) } ?? []
        if let range, resume == nil { fields.append(range.field(from: 0)) }
        if resume == nil, let unchangedSince {
            fields.append(HeaderField("If-Modified-Since", HTTPDate.format(unchangedSince)))
        }
        return fields
    }

    /// Returns the path of the existing file if the response says that it is up to date.
    func path(leftBy head: ResponseHead?) -> String? {
        head?.status == 304 && (unchangedSince != nil || unchangedLength != nil) ? namedPath : nil
    }
}

extension TransferFacts {
    /// Records that the existing file is the requested one.
    mutating func keepFile(_ path: String) {
        download.finalPath = path
        response = Response(status: 304, headers: [], body: [], isTruncated: false)
    }
}

extension PlacePlan {
    /// Creates the plan for moving the download of this record into place.
    init(_ record: TransferRecord, _ download: DownloadSpec, partialPath: String, digests: [Digest]) {
        let name = download.fileName ?? record.facts.download.suggestedName
        self.init(
            id: record.id, partialPath: partialPath, directory: download.directory,
            fileName: name ?? SafeFileName.make(from: nil, url: record.spec.url), collision: download.collision,
            length: download.expectedLength ?? record.facts.download.validators?.total, digests: digests)
        isNameSuggested = download.fileName == nil
        creationMask = download.creationMask
        signature = download.signature
        if download.keepsRemoteTime {
            modified = record.facts.download.validators?.lastModified.flatMap(HTTPDate.parse)
        }
    }
}

extension PartialPlan {
    /// Returns the response as for this part; `nil` if it contains nothing of the part.
    package func seen(_ head: ResponseHead) -> ResponseHead? {
        if resume == nil, head.status == 200, isUnchanged(head) {
            var unchanged = head
            unchanged.status = 304
            return unchanged
        }
        let head = head.withStatusOfRange(isRequested: resume != nil || range != nil)
        return range.map { $0.seen(head, isResumed: resume != nil) } ?? head
    }

    /// Returns whether the existing file equals the server's.
    private func isUnchanged(_ head: ResponseHead) -> Bool {
        if let unchangedLength, head.announcedBodyLength == unchangedLength { return true }
        // Many servers compare the date only for equality.
        guard let unchangedSince, let date = head.headers.single("Last-Modified").flatMap(HTTPDate.parse) else {
            return false
        }
        return date <= unchangedSince
    }
}
