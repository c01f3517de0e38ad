import LonghaulCore
import LonghaulSystem
import Synchronization

/// Finds out which proxy leads to a server, where the desktop's settings or a script say so: for the first server of an exchange, for each
/// that a redirect leads to, and for each mirror.
///
/// That may take seconds, and what a script does is nobody's business here: it is asked in a program of its own, which is killed when it takes
/// too long, on a thread that is there only while somebody waits. An answer holds for a minute for all exchanges with the same server.
final class ProxyFinder: Sendable {
    typealias Answer = Result<FoundProxy, TransferFailure>

    private struct Question: Hashable, Sendable {
        var source: ProxySource
        var origin: String
    }

    private struct Known: Sendable {
        var answer: Answer
        /// In monotonic nanoseconds.
        var at: Int64
    }

    private struct State {
        /// Who waits for what, in the order in which it was asked.
        var questions: [(question: Question, url: TransferURL, tickets: [Ticket])] = []
        var known: [Question: Known] = [:]
        var isRunning = false
    }

    /// How long what was found out holds, in nanoseconds.
    private static let lifetime: Int64 = 60_000_000_000
    /// So many servers' answers are kept.
    private static let room = 1_000

    private let state = Mutex(State())
    private let tell: @Sendable (Ticket, Answer) -> Void

    /// `tell` gets, on any thread, what was found out for each exchange that asked, also for one that has ended meanwhile.
    init(tell: @escaping @Sendable (Ticket, Answer) -> Void) {
        self.tell = tell
    }

    func find(_ source: ProxySource, for url: TransferURL, _ ticket: Ticket) {
        let question = Question(source: source, origin: url.origin)
        let (answer, begins) = state.withLock { state -> (Answer?, Bool) in
            if let known = state.known[question], SystemClock.monotonic() - known.at < Self.lifetime {
                return (known.answer, false)
            }
            if let index = state.questions.firstIndex(where: { $0.question == question }) {
                state.questions[index].tickets.append(ticket)
            } else {
                state.questions.append((question, url, [ticket]))
            }
            defer { state.isRunning = true }
            return (nil, !state.isRunning)
        }
        if let answer { return tell(ticket, answer) }
        guard begins else { return }
        do throws(SystemError) {
            try NativeThread.started { [self] in run() }.letGo()
        } catch {
            let failure = TransferFailure(.proxyFailed, "No thread can be started to find the proxy.", error: error)
            while let next = next() { next.tickets.forEach { tell($0, .failure(failure)) } }
        }
    }

    /// Nothing more is asked from here on.
    func shutDown() { state.withLock { $0.questions = [] } }

    private func run() {
        while let next = next() {
            let answer = ProxyInquiry.answer(next.question.source, for: next.url)
            // Those who asked meanwhile have the answer as well.
            let late = state.withLock { state -> [Ticket] in
                if state.known.count >= Self.room { state.known = [:] }
                state.known[next.question] = Known(answer: answer, at: SystemClock.monotonic())
                let late = state.questions.filter { $0.question == next.question }.flatMap(\.tickets)
                state.questions.removeAll { $0.question == next.question }
                return late
            }
            for ticket in next.tickets + late { tell(ticket, answer) }
        }
    }

    private func next() -> (question: Question, url: TransferURL, tickets: [Ticket])? {
        state.withLock { state in
            if state.questions.isEmpty {
                state.isRunning = false
                return nil
            }
            return state.questions.removeFirst()
        }
    }
}
