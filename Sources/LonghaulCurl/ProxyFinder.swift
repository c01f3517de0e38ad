import LonghaulCore
import LonghaulSystem
import Synchronization

/// Finds out which proxy an exchange takes, where the desktop's settings or a script say so, before the exchange begins.
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
        var plans: [Ticket: ExchangePlan] = [:]
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
    private let tell: @Sendable (Ticket, Result<ExchangePlan, TransferFailure>) -> Void

    /// `tell` gets each exchange with the proxy that it takes, or why none was found out, on any thread.
    init(tell: @escaping @Sendable (Ticket, Result<ExchangePlan, TransferFailure>) -> Void) {
        self.tell = tell
    }

    func find(_ source: ProxySource, for plan: ExchangePlan, _ ticket: Ticket) {
        let url: TransferURL
        do throws(TransferFailure) {
            url = try TransferURL(parsing: plan.url)
        } catch {
            return tell(ticket, .failure(error))
        }
        let question = Question(source: source, origin: url.origin)
        let (answer, begins) = state.withLock { state -> (Answer?, Bool) in
            if let known = state.known[question], SystemClock.monotonic() - known.at < Self.lifetime {
                return (known.answer, false)
            }
            state.plans[ticket] = plan
            if let index = state.questions.firstIndex(where: { $0.question == question }) {
                state.questions[index].tickets.append(ticket)
            } else {
                state.questions.append((question, url, [ticket]))
            }
            defer { state.isRunning = true }
            return (nil, !state.isRunning)
        }
        if let answer { return settle([(ticket, plan)], answer) }
        guard begins else { return }
        do throws(SystemError) {
            try NativeThread.started { [self] in run() }.letGo()
        } catch {
            let failure = TransferFailure(.proxyFailed, "No thread can be started to find the proxy.", error: error)
            while let next = next() { settle(take(next.tickets), .failure(failure)) }
        }
    }

    /// The exchange is not to begin any more; `false` when it has, or was never here.
    func cancel(_ ticket: Ticket) -> Bool {
        state.withLock { $0.plans.removeValue(forKey: ticket) != nil }
    }

    /// Changes an exchange that has not begun; `false` when it has, or was never here.
    func change(_ ticket: Ticket, _ change: (inout ExchangePlan) -> Void) -> Bool {
        state.withLock { state in
            guard var plan = state.plans[ticket] else { return false }
            change(&plan)
            state.plans[ticket] = plan
            return true
        }
    }

    /// Nobody is answered from here on.
    func shutDown() {
        state.withLock { state in
            state.plans = [:]
            state.questions = []
        }
    }

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
            settle(take(next.tickets + late), answer)
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

    private func take(_ tickets: [Ticket]) -> [(Ticket, ExchangePlan)] {
        state.withLock { state in
            tickets.compactMap { ticket in state.plans.removeValue(forKey: ticket).map { (ticket, $0) } }
        }
    }

    private func settle(_ waiting: [(Ticket, ExchangePlan)], _ answer: Answer) {
        for (ticket, plan) in waiting {
            tell(
                ticket,
                answer.map { found in
                    var plan = plan
                    plan.network = plan.network.using(found)
                    return plan
                })
        }
    }
}
