/// The partial file of a download by another program: curl, wget, aria2, a browser.
package struct ForeignPartial: Equatable, Sendable {
    /// The file, pinned to its state at the submission.
    package var file: SourceFile
    /// Its creation time; `nil` if its file system does not store it.
    package var begunAt: WallTime?

    package init(file: SourceFile, begunAt: WallTime?) {
        self.file = file
        self.begunAt = begunAt
    }

    /// When it was written, as far as its times show.
    package var age: FileAge {
        FileAge(begunAt: begunAt, modifiedAt: WallTime(microseconds: file.pin.modified.dividedDown(by: 1_000)))
    }

    /// How far a download has used it.
    package enum Stage: Int, Equatable, Sendable {
        /// Not used yet. A crash loses nothing, now or later: the file itself is only read.
        case untouched = 0
        /// The partial file is a copy of it, and unproven. Exits: `settled` by the first response, `untouched` if the response
        /// disproves the copy or if the copy is missing.
        case copied = 1
        /// The copy was proven or discarded: from here on the download is like any other.
        case settled = 2
    }
}

/// When a file was written.
package struct FileAge: Equatable, Sendable {
    /// Its creation time; `nil` if unknown.
    package var begunAt: WallTime?
    /// Its modification time.
    package var modifiedAt: WallTime

    package init(begunAt: WallTime?, modifiedAt: WallTime) {
        self.begunAt = begunAt
        self.modifiedAt = modifiedAt
    }
}

/// Why another program's partial file cannot be resumed.
package enum ContinuationDoubt: Int, Equatable, Sendable {
    /// The server sends whole files only.
    case noRanges = 0
    /// The server does not send the modification time of its file.
    case noDate = 1
    /// The creation time of the partial file is unknown.
    case unknownBegin = 2
    /// The server's file was modified after the partial file was created, or not long enough before.
    case changedSince = 3
    /// The partial file is longer than the server's.
    case longer = 4
    /// The end of the partial file differs from the server's file.
    case differs = 5

    /// Initializes the doubt from a failed resumption of a file that only its times confirm; `nil` if the failure does not concern
    /// the file.
    init?(_ disposition: ExchangeOutcome.Disposition) {
        switch disposition {
        case .overlapDiffers, .partsDiffer, .refused(.changed): self = .differs
        case .refused(.unproved(let doubt)): self = doubt
        case .refused(.rangeUnusable), .refused(.lengthUnknown): self = .noRanges
        case .none, .written, .held, .refused(.alreadyComplete), .refused(.status): return nil
        }
    }

    private var text: String {
        switch self {
        case .noRanges: "the server sends only whole files"
        case .noDate: "the server does not send Last-Modified"
        case .unknownBegin: "its creation time is unknown"
        case .changedSince: "the file on the server was modified after it was created"
        case .longer: "it is longer than the file on the server"
        case .differs: "its end differs from the file on the server"
        }
    }

    /// Returns the failure of a download that was to resume this file.
    func failure(_ path: String) -> TransferFailure {
        switch self {
        case .longer, .differs:
            TransferFailure(
                .destinationExists,
                "Cannot resume \(path), which is unchanged: \(text). Download under another name, or overwrite the file."
            )
        case .noRanges, .noDate, .unknownBegin, .changedSince:
            TransferFailure(
                .destinationExists,
                "Cannot resume \(path), which is unchanged: \(text). Add a checksum of the file, download under another name, or overwrite the file."
            )
        }
    }
}
