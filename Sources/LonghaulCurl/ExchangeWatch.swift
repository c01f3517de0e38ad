import CCurl
import LonghaulCore
import LonghaulSystem
import Synchronization

// What the network thread looks after while an exchange runs.
extension Exchange {
    /// How often this exchange wants to be looked at, in nanoseconds.
    var lookInterval: Int64 {
        if case .keepingRefusal = reception { return 250_000_000 }
        // Among very many that would be work for a processor of its own.
        if let crew, !isHelper, !thread.isCrowded { return crew.lookInterval }
        return silenceLimit / 4
    }

    /// As for curl, 0 is no limit.
    private var silenceLimit: Int64 {
        let limit = plan.network.timeoutIntervalForRequest.microseconds
        let (nanoseconds, overflow) = limit.multipliedReportingOverflow(by: 1_000)
        return limit <= 0 || overflow ? .max : nanoseconds
    }

    /// Ends an exchange that has been silent for too long. What it has received does not wait in memory for more.
    func look() {
        if let crew, !isHelper { crew.look() }
        guard case .transferring(let easy) = stage else { return }
        writer?.offer(from: PieceWriter.least)
        if case .keepingRefusal(_, let until) = reception, thread.now >= until { return conclude(stop: .enough) }
        activity.note(sum: signsOfLife(of: easy), isHeld: isHeld, at: thread.now)
        guard activity.silence(at: thread.now) >= silenceLimit else { return }
        let seconds = plan.network.timeoutIntervalForRequest.seconds
        conclude(
            stop: .failure(
                TransferFailure(.timedOut, "\(host) was silent for \(seconds) seconds. Try again later.")))
    }

    /// Whether the body has left completely, or never will; then there is nothing more to watch.
    func hasDrained() -> Bool {
        guard case .transferring(let easy) = stage, let body, head == nil, !hasReportedBodySent else { return true }
        // Begun again on another connection: libcurl will take the last byte once more.
        guard body.position == body.length else { return true }
        guard thread.now >= bodySentDue else { return false }
        guard easy.offset(CURLINFO_SIZE_UPLOAD_T) + sentDirectly >= body.length else { return false }
        hasReportedBodySent = true
        progress.moved(sent: body.length, at: thread.now)
        thread.emit(ticket, .bodySent)
        return true
    }

    /// The final response is there and the rest of the body is not wanted: the connection cannot be used again.
    func stopSending() {
        // It may be at its next request by now.
        guard case .transferring(let easy) = stage, head != nil else { return }
        dropTaken()
        easy.set(CURLOPT_FORBID_REUSE, 1)
        goOn(easy)
    }

    /// Lets go of everything without a report.
    func abandon(memory: DigestMemory) {
        var file: PartialFile?
        if case .writing(let open) = reception { file = open }
        if case .settling(_, let open) = stage { file = open }
        dropTaken()
        thread.yielding.remove(self)
        if case .transferring(let easy) = stage { thread.remove(easy, canBeReused: false) }
        if let writer {
            if file != nil { writer.end() }
            return writer.join()
        }
        // What cannot be written now is asked of the server again.
        _ = file?.finish(memory: memory)
    }

    private var isHeld: Bool {
        if case .held = reception { return true }
        if owner.hasReportedAllowance { return true }
        if restsUntil != nil { return true }
        if case .writing(let file) = reception, file.isFull { return true }
        return hold == .held && head == nil
    }

    /// A number that changes with every byte in either direction, down to what the peer has acknowledged.
    private func signsOfLife(of easy: EasyHandle) -> Int64 {
        let counted =
            easy.offset(CURLINFO_SIZE_UPLOAD_T) + easy.offset(CURLINFO_SIZE_DOWNLOAD_T)
            + Int64(easy.long(CURLINFO_HEADER_SIZE) + easy.long(CURLINFO_REQUEST_SIZE))
        let unsent = (taken?.descriptor ?? socket).map { LentDescriptor($0).unsentBytes } ?? 0
        var received = progress.received.load(ordering: .relaxed)
        // Each of several is heard for itself.
        if crew != nil, case .writing(let file) = reception { received = file.taken }
        return counted + sentDirectly + received - unsent
    }
}
