import LonghaulCore
import LonghaulSystem

/// The question which proxy leads to a server.
struct ProxyQuestion: Hashable, Sendable {
    var source: ProxySource
    var url: TransferURL

    static func == (left: Self, right: Self) -> Bool {
        left.source == right.source && left.url.origin == right.url.origin
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(source)
        hasher.combine(url.origin)
    }
}

/// Finds the proxy for a server if the desktop's settings or a script decide: for the first server of an exchange, each
/// redirect target, and each mirror. A script cannot harm this process, because it runs in a separate program, which is
/// killed on a timeout.
typealias ProxyFinder = Inquiries<ProxyQuestion, Result<FoundProxy, TransferFailure>>

extension ProxyFinder {
    static func proxies(_ clock: EngineClock, tell: @escaping @Sendable (Ticket, Answer) -> Void) -> ProxyFinder {
        ProxyFinder(
            lifetime: 60_000_000_000, clock: clock, isKept: { !$0.isFailedLookup },
            answer: { ProxyInquiry.answer($0.source, for: $0.url) },
            answerWithoutThread: {
                .failure(TransferFailure(.proxyFailed, "Could not start a thread to look up the proxy.", error: $0))
            }, tell: tell)
    }
}

extension Result<FoundProxy, TransferFailure> {
    /// Whether the lookup of the script's host failed, so that the next exchange tries again.
    fileprivate var isFailedLookup: Bool {
        if case .failure(let failure) = self { failure.code == .nameLookupFailed } else { false }
    }
}
