import CCurl
import LonghaulCore

// One of several exchanges that fetch ranges of one file.
extension Exchange {
    /// Whether it is no transfer of its own.
    var isHelper: Bool { ticket.isOfHelper }

    /// The exchange of the transfer that this one works for.
    var owner: Exchange { crew?.first ?? self }

    /// Whether its end is not the transfer's.
    var isPartOfCrew: Bool { isHelper || crew?.isOpen == true }

    /// Its head is accepted and its file open; no byte has come.
    func formCrew(_ file: PartialFile, _ head: ResponseHead) {
        if let crew {
            if isHelper { crew.accept(self, file) }
            return
        }
        guard case .partial(let plan) = plan.sink, let crew = SegmentCrew(self, plan, file, head) else { return }
        self.crew = crew
        thread.lookSoon(plan.segments == nil ? SegmentCrew.lookInterval : 0)
    }

    /// What it writes to, once its head is accepted and until its end.
    var file: PartialFile? {
        switch (stage, reception) {
        case (.transferring, .writing(let file)): file
        default: nil
        }
    }

    /// Whether it may still bring bytes.
    var isAtWork: Bool {
        switch stage {
        case .heldBack, .transferring: true
        case .heldAtEnd, .settling, .parked: false
        }
    }

    /// Whether its connection can carry others as well.
    var sharesConnection: Bool {
        guard case .transferring(let easy) = stage, url.scheme == "https" else { return false }
        return easy.long(CURLINFO_HTTP_VERSION) >= CURL_HTTP_VERSION_2_0
    }

    /// Fetches no further than to this byte.
    func stop(at end: Int64) {
        guard let file, let missing = file.missing, end < file.position + missing else { return }
        file.stop(at: max(end, file.position))
        if file.missing == 0 { conclude(stop: .enough) }
    }

    /// Fetches up to this byte although it was told to stop before it.
    func goOn(to end: Int64) {
        guard let file, let missing = file.missing, end > file.position + missing else { return }
        file.stop(at: end)
    }
}
