/// When two submissions ask for one and the same thing: whoever types a command again wants to see the first one's transfer,
/// not a second copy.
extension TransferSpec {
    /// Whether both move the same bytes from and to the same place, with the same request. How they wait, how fast they go and
    /// by which way does not count, nor does what a form's boundary is.
    package func asksForTheSame(as other: TransferSpec) -> Bool {
        guard url == other.url, headers == other.headers else { return false }
        switch (work, other.work) {
        case (.download(let own), .download(let others)):
            return own.directory == others.directory && own.fileName == others.fileName
                && own.expectedDigest == others.expectedDigest && own.range == others.range
                && own.signature == others.signature && own.foreign == others.foreign && own.existing == others.existing
        case (.upload(.raw(let own)), .upload(.raw(let others))): return method == other.method && own == others
        case (.upload(.tus(let own, let metadata)), .upload(.tus(let others, let othersMetadata))):
            return own == others && metadata == othersMetadata
        case (.upload(.form(_, let own)), .upload(.form(_, let others))): return method == other.method && own == others
        // A request that is sent twice may be meant twice.
        case (.download, _), (.upload, _), (.request, _): return false
        }
    }

    /// Equal for all that ask for the same, and differs for nearly all others. It is another number in each process.
    package var equalityHash: Int {
        var hasher = Hasher()
        hasher.combine(url)
        if let download {
            hasher.combine(download.directory)
            hasher.combine(download.fileName)
        }
        for source in sources { hasher.combine(source.path) }
        return hasher.finalize()
    }
}

extension TransferState {
    /// What moves it on for somebody who asks for the same once more, and means now. A date that the server named stays.
    package var verbForJoiner: ControlVerb? {
        switch self {
        case .paused: .resume
        case .waiting(let waiting) where waiting.reason == .retry: .retry
        case .waiting, .running, .awaitingResponse, .succeeded, .failed, .cancelled: nil
        }
    }
}
