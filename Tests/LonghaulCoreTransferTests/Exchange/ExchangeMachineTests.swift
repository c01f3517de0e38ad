import LonghaulCore
import Testing

@Suite struct ExchangeMachineTests {
    private let fixture = ExchangeFixture()

    @Test func aRedirectLeadsToTheNextRequestAndLeavesSecretsBehind() throws {
        let trial = try fixture.machine(method: "GET")
        trial.beginRequest()
        #expect(trial.answered(302, ["Location": "https://elsewhere/f"]) == .nothing)
        let following = try #require(trial.follow())
        #expect(following.dropsSecrets && !following.dropsBody)
        #expect(trial.url.text == "https://elsewhere/f" && trial.hops == 1 && trial.head == nil)
    }

    @Test func anAnswerThatBecomesAGETDropsTheBodyAndWhatWasHeldOfIt() throws {
        let trial = try fixture.machine(method: "POST", body: 100_000, holds: true, repeating: false)
        trial.beginRequest()
        #expect(trial.hasSentSendable())
        _ = trial.answered(303, ["Location": "/done"])
        #expect(try #require(trial.follow()).dropsBody)
        #expect(trial.method == "GET" && trial.bodyLength == nil && trial.hold == .free)
        #expect(trial.release() == .nothing, "Nothing is held any more.")
    }

    @Test func redirectsEndAtTheirLimitAndRepeatedRequestsDoNotCount() throws {
        let trial = try fixture.machine(method: "PUT", body: 100_000, limit: 1)
        trial.beginRequest()
        #expect(trial.expectsContinue())
        _ = trial.answered(417)
        _ = try #require(trial.follow())
        trial.beginRequest()
        _ = trial.answered(307, ["Location": "/a"])
        _ = try #require(trial.follow())
        trial.beginRequest()
        _ = trial.answered(307, ["Location": "/b"])
        #expect(trial.follow() == nil)
        guard case .failure(let failure) = trial.stop else { return #expect(Bool(false), "It was not refused.") }
        #expect(failure.code == .redirectRefused)
    }

    @Test func aRefusedExpectationIsDroppedOnceAndNotAfterTheLastBytes() throws {
        let trial = try fixture.machine(method: "PUT", body: 100_000)
        trial.beginRequest()
        #expect(trial.expectsContinue())
        _ = trial.answered(417)
        _ = try #require(trial.follow())
        trial.beginRequest()
        #expect(!trial.expectsContinue())
        _ = trial.answered(417)
        #expect(trial.follow() == nil && trial.head?.status == 417)

        let released = try fixture.machine(method: "PUT", body: 100_000, holds: true)
        released.beginRequest()
        #expect(released.expectsContinue() && released.hasSentSendable() && released.release() == .resume)
        _ = released.answered(417)
        #expect(released.follow() == nil && released.head?.status == 417)
    }

    @Test func aChallengeIsAnsweredWithTheSameRequest() throws {
        let trial = try fixture.machine(method: "PUT", body: 10)
        trial.beginRequest()
        #expect(trial.receive(fixture.head(401)))
        trial.machine.answerChallenge()
        let following = try #require(trial.follow())
        #expect(!following.dropsSecrets && !following.dropsBody && trial.hops == 0 && trial.bodyLength == 10)
    }

    @Test func lastBytesAreHeldAndReportedOnce() throws {
        let trial = try fixture.machine(method: "POST", body: 100_000, holds: true)
        trial.beginRequest()
        #expect(trial.sendable == 100_000 - ExchangeMachine.heldLength)
        #expect(trial.hasSentSendable() && !trial.hasSentSendable())
        #expect(trial.release() == .resume && trial.release() == .nothing)
        #expect(trial.sendable == 100_000)
    }

    @Test func anEmptyBodyHoldsTheWholeRequest() throws {
        let trial = try fixture.machine(method: "POST", body: 0, holds: true)
        #expect(!trial.begin())
        #expect(trial.release() == .sendRequest)
        let free = try fixture.machine(method: "POST", body: 0)
        #expect(free.begin())
    }

    @Test(arguments: [(200, false), (299, false), (300, true), (403, true)])
    func onlyARefusalEndsTheSendingOfWhatIsHeld(status: Int, ends: Bool) throws {
        let held = try fixture.machine(method: "POST", body: 100_000, holds: true)
        held.beginRequest()
        _ = held.answered(status)
        #expect(held.hasStoppedSending == ends)
        let sending = try fixture.machine(method: "PUT", body: 100_000)
        sending.beginRequest()
        #expect(sending.receive(fixture.head(status)) && !sending.hasStoppedSending)
        sending.machine.answeredWhileSending()
        #expect(sending.hasStoppedSending == ends)
    }

    @Test func theNextRequestSendsABodyThatTheLastServerDidNotWant() throws {
        let trial = try fixture.machine(method: "PUT", body: 100_000)
        trial.beginRequest()
        #expect(trial.receive(fixture.head(307, ["Location": "/new"])))
        trial.machine.answeredWhileSending()
        _ = trial.decide(fixture.sight)
        _ = try #require(trial.follow())
        trial.beginRequest()
        #expect(trial.hold == .free && !trial.hasStoppedSending)
    }

    @Test func aBodyThatMayLeaveWholeIsRefusedAsWell() throws {
        let trial = try fixture.machine(method: "POST", body: 100_000, holds: true)
        trial.beginRequest()
        #expect(trial.hasSentSendable() && trial.release() == .resume)
        _ = trial.answered(307, ["Location": "/new"])
        _ = try #require(trial.follow())
        trial.beginRequest()
        #expect(trial.receive(fixture.head(507)) && !trial.hasStoppedSending)
        trial.machine.answeredWhileSending()
        #expect(trial.hasStoppedSending && trial.hold == .released)
    }

    @Test func aStreamIsEndedForARedirectOnlyWhileItsBodyIsOnTheWay() throws {
        for (isShared, hasGivenAll) in [(true, false), (true, true), (false, false)] {
            let trial = try fixture.machine(method: "PUT", body: 100_000)
            trial.beginRequest()
            #expect(trial.receive(fixture.head(307, ["Location": "/new"])))
            _ = trial.decide(ExchangeMachine.HeadContext(now: 0, isShared: isShared, hasGivenAll: hasGivenAll))
            let isEnded = if case .enough = trial.stop { true } else { false }
            #expect(isEnded == (isShared && !hasGivenAll))
        }
    }

    @Test func aBodyOfNoClearLengthIsNoAnswerUnlessThereIsNone() throws {
        let fields: KeyValuePairs = ["Content-Length": "5", "content-length": "6"]
        let trial = try fixture.machine(method: "GET")
        trial.beginRequest()
        #expect(!trial.receive(fixture.head(200, fields)))
        #expect(fixture.failure(trial.outcome(fixture.end())) == .protocolViolation)
        let bare = try fixture.machine(method: "HEAD")
        bare.beginRequest()
        #expect(bare.receive(fixture.head(200, fields)))
    }
}
