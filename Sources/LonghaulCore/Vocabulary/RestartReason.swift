/// Why a download restarted from byte 0.
package enum RestartReason: Int, Equatable, Sendable {
    /// The server has another version of the file now.
    case contentChanged = 0
    /// The server sends whole files only.
    case rangesIgnored = 1
    /// The server sends nothing that distinguishes two versions of the file.
    case incomparable = 2
    /// The server's file was too new for its validators to distinguish two versions.
    case tooFresh = 3
    /// The partial file is missing or has changed.
    case partialFileLost = 4
    /// The whole file did not have the required digest.
    case digestMismatch = 5
    /// The server's response to the range request is unusable.
    case wrongAnswer = 6
    /// The source failed, and no other one certainly has the same version.
    case placeLost = 7
    /// Another program's partial file is not the beginning of this file, or the server does not allow resuming it.
    case notContinued = 8
    /// A redirect led to another source, which was not proven to have the same version.
    case otherSource = 9
    /// The guards that showed another version.
    case digestChanged = 10
    case entityTagChanged = 11
    case dateChanged = 12
    case lengthChanged = 13
    case bytesChanged = 14
    /// Parts from different connections differ where they meet.
    case partsDiffer = 15

    init(_ failed: VersionGuard?) {
        self =
            switch failed {
            case .digest: .digestChanged
            case .entityTag: .entityTagChanged
            case .date: .dateChanged
            case .length: .lengthChanged
            case .bytes: .bytesChanged
            case nil: .contentChanged
            }
    }

    private var versionGuard: VersionGuard? {
        switch self {
        case .digestChanged: .digest
        case .entityTagChanged: .entityTag
        case .dateChanged: .date
        case .lengthChanged: .length
        case .bytesChanged: .bytes
        case .contentChanged, .rangesIgnored, .incomparable, .tooFresh, .partialFileLost, .digestMismatch, .wrongAnswer,
            .placeLost, .notContinued, .otherSource, .partsDiffer:
            nil
        }
    }

    /// Whether bytes were discarded because they were of another version.
    var isAboutVersions: Bool {
        self == .contentChanged || self == .otherSource || self == .partsDiffer || versionGuard != nil
    }

    /// The reason to restart after a failure, with the guard that showed another version.
    init(_ failure: TransferFailure, _ failed: VersionGuard? = nil) {
        switch failure.code {
        case .contentChanged where failure == .otherSource: self = .otherSource
        case .contentChanged where failure == .partsDiffer: self = .partsDiffer
        case .contentChanged: self = RestartReason(failed)
        case .digestMismatch: self = .digestMismatch
        default: self = .wrongAnswer
        }
    }

    /// The reason, as the end of a sentence.
    package var text: String {
        switch self {
        case .contentChanged, .digestChanged, .entityTagChanged, .dateChanged, .lengthChanged, .bytesChanged:
            "the file on the server changed" + (versionGuard.map { ": " + $0.text } ?? "")
        case .rangesIgnored: "the server sends only whole files"
        case .incomparable: "the server does not state the version of the file"
        case .tooFresh: "the file was too new to distinguish two versions of it"
        case .partialFileLost: "the partial file is missing"
        case .digestMismatch: "the received bytes do not match the digest"
        case .wrongAnswer: "the server's response to the range request is invalid"
        case .otherSource: "the redirect led to another source, which may have another version of the file"
        case .notContinued: "the partial file of another program could not be continued"
        case .partsDiffer: "parts from different connections differ where they meet"
        case .placeLost: "the source failed, and no mirror is proven to have the same version"
        }
    }
}

extension ResumeLadder {
    /// Returns why a partial file of this length cannot be resumed.
    static func obstacle(partialLength: Int64, validators: Validators?) -> RestartReason {
        guard partialLength > 0, let validators else { return .partialFileLost }
        if let total = validators.total, partialLength > total { return .partialFileLost }
        return validators.entityTag == nil && validators.lastModified == nil || !validators.isSoft
            ? .incomparable : .tooFresh
    }
}

/// The number of restarts of a download, for any reason.
package struct RestartCounts: Equatable, Sendable {
    package var count = 0
    /// The reason for the latest.
    package var latest: RestartReason?
}
