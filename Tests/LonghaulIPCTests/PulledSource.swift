import LonghaulCore
import LonghaulIPC
import Synchronization

/// A session's part for a pulling watcher: it announces updates, and delivers them in portions on request.
final class PulledSource: Sendable {
    private struct State {
        var news = WatchBuffer()
        var isOffered = false
        var pulls = 0
    }

    private let mailbox: ServerMailbox
    private let key: RequestKey
    private let state = Mutex(State())

    init(_ mailbox: ServerMailbox, _ key: RequestKey) {
        self.mailbox = mailbox
        self.key = key
    }

    /// The number of requests.
    var pulls: Int { state.withLock(\.pulls) }

    func put(_ update: WatchUpdate) {
        state.withLock { $0.news.merge(update) }
        offer()
    }

    private func offer() {
        let isWanted = state.withLock { state in
            guard !state.isOffered, !state.news.isEmpty else { return false }
            state.isOffered = true
            return true
        }
        guard isWanted else { return }
        mailbox.offer(
            { [self] reply in
                reply(
                    state.withLock { state in
                        state.isOffered = false
                        state.pulls += 1
                        return state.news.removeNext(limit: 256)
                    })
                offer()
            }, to: key)
    }
}
