import LonghaulCore
import Synchronization

@testable import LonghaulRuntime

/// A helper that returns one token, and another one after the first was refused. Like a process, it forgets nothing and
/// answers a turn later; requests of a life that has ended are lost.
final class SimulatedHelper: CredentialSource {
    private let answers = Mutex<[LoopInput]>([])

    let givesURLs = false

    func query(_ question: CredentialQuestion, answer: @escaping @Sendable (CredentialAnswer) -> Void) {
        let token = question.request.isRenewal ? SimulatedWorld.token : "old"
        answer(.given(.bearer(token), expiresAt: nil, isHelpers: true))
    }

    func keep(_ input: LoopInput) {
        answers.withLock { $0.append(input) }
    }

    func takeInputs() -> [LoopInput] {
        answers.withLock { answers in
            defer { answers = [] }
            return answers
        }
    }
}
