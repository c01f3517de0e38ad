import LonghaulCore
import LonghaulSystem
import Synchronization

/// Answers slow questions of exchanges (seconds) on threads that exist only while an exchange waits. An answer is
/// cached for all exchanges with the same question.
final class Inquiries<Question: Hashable & Sendable, Answer: Sendable>: Sendable {
    private struct Known: Sendable {
        var answer: Answer
        /// The time of the answer in monotonic nanoseconds.
        var at: Int64
    }

    private struct State {
        /// The waiting exchanges by question, in order.
        var questions: [(question: Question, tickets: [Ticket])] = []
        var known: [Question: Known] = [:]
        /// The number of running threads.
        var running = 0
    }

    /// The maximum number of cached answers.
    private static var room: Int { 1_000 }

    private let state = Mutex(State())
    private let lifetime: Int64
    private let clock: EngineClock
    private let threads: Int
    private let isKept: @Sendable (Answer) -> Bool
    private let answer: @Sendable (Question) -> Answer
    private let answerWithoutThread: @Sendable (SystemError) -> Answer
    private let tell: @Sendable (Ticket, Answer) -> Void

    /// Creates the cache. `lifetime` is how long an answer that `isKept` is valid, in nanoseconds; at most `threads`
    /// questions are answered at once. `tell` receives, on any thread, the answer for each exchange that asked, even if
    /// the exchange has ended meanwhile.
    init(
        lifetime: Int64, clock: EngineClock, threads: Int = 1,
        isKept: @escaping @Sendable (Answer) -> Bool = { _ in true },
        answer: @escaping @Sendable (Question) -> Answer,
        answerWithoutThread: @escaping @Sendable (SystemError) -> Answer,
        tell: @escaping @Sendable (Ticket, Answer) -> Void
    ) {
        self.lifetime = lifetime
        self.clock = clock
        self.threads = threads
        self.isKept = isKept
        self.answer = answer
        self.answerWithoutThread = answerWithoutThread
        self.tell = tell
    }

    func query(_ question: Question, for ticket: Ticket) {
        let (known, begins) = state.withLock { state -> (Answer?, Bool) in
            if let known = state.known[question], clock.now - known.at < lifetime {
                return (known.answer, false)
            }
            if let index = state.questions.firstIndex(where: { $0.question == question }) {
                state.questions[index].tickets.append(ticket)
                return (nil, false)
            }
            state.questions.append((question, [ticket]))
            guard state.running < threads else { return (nil, false) }
            state.running += 1
            return (nil, true)
        }
        if let known { return tell(ticket, known) }
        guard begins else { return }
        do throws(SystemError) {
            try NativeThread.started { [self] in run() }.detach()
        } catch {
            while let next = next() { next.tickets.forEach { tell($0, answerWithoutThread(error)) } }
        }
    }

    /// Accepts no more questions from here on.
    func shutDown() { state.withLock { ($0.questions, $0.known) = ([], [:]) } }

    private func run() {
        while let next = next() {
            let answer = answer(next.question)
            // Exchanges that asked meanwhile get the answer too.
            let late = state.withLock { state -> [Ticket] in
                let oldest = clock.now - lifetime
                state.known = state.known.count < Self.room ? state.known.filter { $0.value.at > oldest } : [:]
                if isKept(answer) { state.known[next.question] = Known(answer: answer, at: clock.now) }
                let late = state.questions.filter { $0.question == next.question }.flatMap(\.tickets)
                state.questions.removeAll { $0.question == next.question }
                return late
            }
            for ticket in next.tickets + late { tell(ticket, answer) }
        }
    }

    private func next() -> (question: Question, tickets: [Ticket])? {
        state.withLock { state in
            if state.questions.isEmpty {
                state.running -= 1
                return nil
            }
            return state.questions.removeFirst()
        }
    }
}
