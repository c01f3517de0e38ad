import LonghaulCore
import LonghaulSystem

/// Which proxy leads to a server.
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

/// Finds out which proxy leads to a server, where the desktop's settings or a script say so: for the first server of an exchange, for each
/// that a redirect leads to, and for each mirror. What a script does is nobody's business here: it is asked in a program of its own, which is
/// killed when it takes too long.
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
    /// Whether the script's host could not be looked up: the next exchange asks again.
    fileprivate var isFailedLookup: Bool {
        if case .failure(let failure) = self { failure.code == .nameLookupFailed } else { false }
    }
}
