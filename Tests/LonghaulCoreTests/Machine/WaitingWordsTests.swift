import LonghaulCore
import Testing

/// What a person is told of a transfer that waits.
struct WaitingWordsTests {
    private static let reasons = (0..<64).compactMap(Waiting.Reason.init)

    @Test func everyReasonHasWordsOfItsOwn() {
        let words = Set(Self.reasons.map { Waiting($0, since: WallTime(seconds: 0)).message })
        #expect(words.count == Self.reasons.count)
        #expect(words.allSatisfy { $0.first?.isUppercase == true && !$0.hasSuffix(".") })
    }

    @Test func aFailureThatMayPassIsToldInItsOwnWords() {
        let failure = TransferFailure(.connectionLost, "The connection was lost.")
        #expect(Waiting(.retry, since: WallTime(seconds: 0), failure: failure).message == "The connection was lost.")
    }

    @Test func aPasswordThatIsBeingAskedForIsNotAnotherOne() {
        let failure = TransferFailure(.credentialsRequired, "The server wants another password.")
        let since = WallTime(seconds: 0)
        #expect(Waiting(.credentials, since: since).message == "Asking for a password")
        #expect(Waiting(.credentials, since: since, failure: failure).message == "Waiting for a password")
    }
}
