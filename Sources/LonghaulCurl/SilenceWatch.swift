import CCurl
import LonghaulCore
import LonghaulFiles
import LonghaulSystem
import Synchronization

/// How long an exchange may be silent, and whether it has been silent for longer.
struct SilenceWatch {
    let exchange: Exchange

    /// As for curl, 0 is no limit.
    var limit: Int64 {
        let limit = exchange.plan.network.timeoutIntervalForRequest.microseconds
        let (nanoseconds, overflow) = limit.multipliedReportingOverflow(by: 1_000)
        return limit <= 0 || overflow ? .max : nanoseconds
    }

    /// Looks at an exchange: whether it has been silent for too long. A pause of our own is no silence.
    func isTooLong(_ easy: EasyHandle) -> Bool {
        let now = exchange.thread.now
        exchange.wire.activity.note(sum: signsOfLife(of: easy), isHeld: isHeld, at: now)
        return exchange.wire.activity.silence(at: now) >= limit
    }

    private var isHeld: Bool {
        if case .asking(.held) = exchange.machine.phase { return true }
        if exchange.owner.limits.hasReportedUse { return true }
        if exchange.limits.restsUntil != nil { return true }
        if case .writing(let file) = exchange.receiver, file.isFull { return true }
        return exchange.machine.hold == .held && exchange.machine.head == nil
    }

    /// A number that changes with every byte in either direction, down to what the peer has acknowledged.
    private func signsOfLife(of easy: EasyHandle) -> Int64 {
        let counted =
            easy.offset(CURLINFO_SIZE_UPLOAD_T) + easy.offset(CURLINFO_SIZE_DOWNLOAD_T)
            + Int64(easy.long(CURLINFO_HEADER_SIZE) + easy.long(CURLINFO_REQUEST_SIZE))
        let unsent = exchange.descriptor.map { LentDescriptor($0).unsentBytes } ?? 0
        var received = exchange.progress.received.load(ordering: .relaxed)
        // Each of several is heard for itself.
        if exchange.crew != nil, case .writing(let file) = exchange.receiver { received = file.taken }
        return counted + (exchange.direct?.sent ?? 0) + received - unsent
    }
}
