import LonghaulCore
import LonghaulIPC
import Testing

@testable import LonghaulClient

/// Requests whose answers are not awaited at once.
@Suite struct ConnectionAnswerTests {
    private let lost = TransferFailure(.serviceUnavailable, "It is gone.")

    @Test func anAnswerIsKeptUntilItIsTaken() async throws {
        let core = try ConnectionCore()
        let number = try core.send(.status)
        core.deliver(ServiceEnvelope(request: number, message: .done))
        #expect(try await core.answer(to: number) == .done)
    }

    @Test func theEndOfTheConnectionTakesNoAnswerAway() async throws {
        let core = try ConnectionCore()
        let (answered, open) = (try core.send(.status), try core.send(.status))
        core.deliver(ServiceEnvelope(request: answered, message: .done))
        core.end(lost)
        #expect(try await core.answer(to: answered) == .done)
        await #expect(throws: lost) { try await core.answer(to: open) }
        await #expect(throws: lost) { try await core.answer(to: try core.send(.status)) }
    }

    @Test func aCancelledCallFailsAtOnce() async throws {
        let core = try ConnectionCore()
        let number = try core.send(.status)
        let call = Task { try await core.answer(to: number) }
        call.cancel()
        let failure = await #expect(throws: TransferFailure.self) { try await call.value }
        #expect(failure?.code == .interrupted)
        // Late, and dropped.
        core.deliver(ServiceEnvelope(request: number, message: .done))
    }
}
