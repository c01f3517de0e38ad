/// What another program left of a download: curl, wget, aria2, a browser.
package struct ForeignPartial: Equatable, Sendable {
    /// The file, pinned to what it was when it was to be gone on with.
    package var file: SourceFile
    /// When it was made; `nil` where its file system does not tell.
    package var begunAt: WallTime?

    package init(file: SourceFile, begunAt: WallTime?) {
        self.file = file
        self.begunAt = begunAt
    }

    /// When it was written, as far as dates tell.
    package var age: FileAge {
        FileAge(begunAt: begunAt, modifiedAt: WallTime(microseconds: file.pin.modified.dividedDown(by: 1_000)))
    }

    /// How far a download is with it.
    package enum Stage: Int, Equatable, Sendable {
        /// Nothing was done. Nothing is lost by a crash here, nor later: the file itself is only read.
        case untouched = 0
        /// The partial file is a copy of it, of which nothing is proved. Exits: `settled` by the first answer, `untouched` when that
        /// disproves it or when the copy is gone.
        case copied = 1
        /// The copy was proved, or given up: from here on the download is like any other.
        case settled = 2
    }
}

/// When a file was written.
package struct FileAge: Equatable, Sendable {
    /// When it was made; `nil` where nobody knows.
    package var begunAt: WallTime?
    /// When it was changed last.
    package var modifiedAt: WallTime

    package init(begunAt: WallTime?, modifiedAt: WallTime) {
        self.begunAt = begunAt
        self.modifiedAt = modifiedAt
    }
}

/// What keeps a partial file of another program from being gone on with.
package enum ContinuationDoubt: Int, Equatable, Sendable {
    /// The server sends whole files only.
    case noRanges = 0
    /// The server does not say when its file was changed last.
    case noDate = 1
    /// Nobody knows when the partial file was begun.
    case unknownBegin = 2
    /// The server's file was changed after the partial file was begun, or not long enough before.
    case changedSince = 3
    /// The partial file is longer than the server's.
    case longer = 4
    /// The end of the partial file is not what the server has there.
    case differs = 5

    /// What a failure to go on means for a file that only its dates vouch for; `nil` where it says nothing about the file.
    init?(_ disposition: ExchangeOutcome.Disposition) {
        switch disposition {
        case .overlapDiffers, .refused(.changed): self = .differs
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

    /// The failure of a download that was to go on with this file.
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
