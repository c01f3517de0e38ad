import CCurl
import LonghaulCore
import LonghaulFiles
import LonghaulSystem
import Synchronization

/// Detects whether an exchange has been silent for longer than its timeouts.
///
/// A silent peer may be busy; ``PeerWatch`` detects dead ones.
struct SilenceWatch {
    private enum Phase {
        /// libcurl has its own limit (CURLOPT_CONNECTTIMEOUT_MS).
        case connecting
        case sending
        case awaitingResponse
        case receiving
    }

    let exchange: Exchange

    private var network: NetworkOptions { exchange.plan.network }

    /// The shorter of the limits, in nanoseconds.
    var shortestLimit: Int64 {
        min(Self.nanoseconds(network.timeoutIntervalForRequest), Self.nanoseconds(network.timeoutIntervalForResponse))
    }

    /// Returns the failure of an exchange that has been silent for too long. A pause by Longhaul does not count as
    /// silence.
    func failure(_ easy: EasyHandle) -> TransferFailure? {
        let now = exchange.thread.now
        let unacknowledged = exchange.descriptor.map { LentDescriptor($0).unsentBytes } ?? 0
        let phase = phase(easy, unacknowledged)
        exchange.wire.activity.update(
            sum: signsOfLife(of: easy) - unacknowledged, isHeld: phase == .connecting || isHeld, at: now)
        let limit =
            phase == .awaitingResponse ? network.timeoutIntervalForResponse : network.timeoutIntervalForRequest
        guard exchange.wire.activity.silence(at: now) >= Self.nanoseconds(limit) else { return nil }
        return TransferFailure(.timedOut, sentence(phase, limit))
    }

    /// Returns the phase. A body counts as sent when the peer has acknowledged it. An HTTP/2 connection also carries
    /// other bytes, so only libcurl's count shows how much of a body has been sent.
    private func phase(_ easy: EasyHandle, _ unacknowledged: Int64) -> Phase {
        guard easy.offset(CURLINFO_PRETRANSFER_TIME_T) > 0 else { return .connecting }
        if exchange.machine.head != nil || exchange.wire.collector.isInFinalHead { return .receiving }
        guard let body = exchange.body else { return .awaitingResponse }
        let hasLeft = easy.offset(CURLINFO_SIZE_UPLOAD_T) + (exchange.direct?.sent ?? 0) >= body.length
        return hasLeft && (unacknowledged == 0 || exchange.url.scheme == "https") ? .awaitingResponse : .sending
    }

    private var isHeld: Bool {
        if case .asking(.held) = exchange.machine.phase { return true }
        if exchange.owner.limits.hasReportedUse { return true }
        if exchange.limits.restsUntil != nil { return true }
        if case .writing(let file) = exchange.receiver, file.isFull { return true }
        return exchange.machine.hold == .held && exchange.machine.head == nil
    }

    /// Returns a number that changes with every byte in either direction.
    private func signsOfLife(of easy: EasyHandle) -> Int64 {
        let counted =
            easy.offset(CURLINFO_SIZE_UPLOAD_T) + easy.offset(CURLINFO_SIZE_DOWNLOAD_T)
            + Int64(easy.long(CURLINFO_HEADER_SIZE) + easy.long(CURLINFO_REQUEST_SIZE))
        var received = exchange.progress.received.load(ordering: .relaxed)
        // Each connection of a group is monitored separately.
        if exchange.segmentPool != nil, case .writing(let file) = exchange.receiver { received = file.taken }
        return counted + (exchange.direct?.sent ?? 0) + received
    }

    private func sentence(_ phase: Phase, _ limit: Duration) -> String {
        let (host, time) = (exchange.url.endpoint, limit.inWords)
        return switch phase {
        case .connecting, .awaitingResponse:
            "\(host) sent no response for \(time) (--response-timeout)."
        case .sending: "\(host) accepted no data for \(time) (--stall-timeout)."
        case .receiving: "\(host) sent no data for \(time) (--stall-timeout)."
        }
    }

    /// 0 means no limit, as for curl.
    private static func nanoseconds(_ limit: Duration) -> Int64 {
        let (nanoseconds, overflow) = limit.microseconds.multipliedReportingOverflow(by: 1_000)
        return limit.microseconds <= 0 || overflow ? .max : nanoseconds
    }
}

extension Duration {
    /// The duration as `5 min`, `90 s`, or `2 h`, with symbols that need no translation.
    var inWords: String {
        let seconds = seconds
        let (count, unit) =
            switch seconds {
            case 3_600... where seconds % 3_600 == 0: (seconds / 3_600, "h")
            case 60... where seconds % 60 == 0: (seconds / 60, "min")
            default: (seconds, "s")
            }
        return "\(count) \(unit)"
    }
}
