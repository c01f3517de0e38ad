import LonghaulCore
import Testing

@Suite struct ExchangeEndingTests {
    private let fixture = ExchangeFixture()

    @Test func aSuccessBeforeTheBodyHasLeftIsNone() throws {
        for sent in [99, 100] as [Int64] {
            let trial = try fixture.machine(method: "PUT", body: 100)
            trial.beginRequest()
            _ = trial.answered(201)
            let outcome = trial.outcome(fixture.end(sent: sent))
            #expect(fixture.failure(outcome) == (sent < 100 ? .connectionLost : nil))
        }
    }

    @Test func aRefusalCountsWhateverBecomesOfItsBody() throws {
        let trial = try fixture.machine(method: "PUT", body: 100)
        trial.beginRequest()
        _ = trial.answered(507)
        trial.keep([1, 2, 3])
        let outcome = trial.outcome(fixture.end(isClean: false))
        #expect(outcome.ending == .responded && outcome.body == [1, 2, 3] && outcome.isBodyTruncated)
    }

    @Test func anAnswerThatBreaksOffIsLostAndOneWithoutAHeadToo() throws {
        let trial = try fixture.machine(method: "GET")
        trial.beginRequest()
        #expect(fixture.failure(trial.outcome(fixture.end())) == .connectionLost)
        _ = trial.answered(200)
        #expect(fixture.failure(trial.outcome(fixture.end(isClean: false))) == .connectionLost)
        #expect(fixture.failure(trial.outcome(fixture.end())) == nil)
    }

    @Test func successIgnoresBytesOfEarlierRequests() throws {
        for (status, sent) in [(201, 100), (507, 180)] as [(Int, Int64)] {
            let trial = try fixture.machine(method: "PUT", body: 100)
            trial.beginRequest()
            _ = trial.answered(status)
            let outcome = trial.outcome(fixture.end(sent: 100, mostSent: 180))
            #expect(outcome.bytesSent == sent)
        }
    }

    @Test func noSentencePredictsRetry() throws {
        let early = try fixture.machine(method: "PUT", body: 100)
        early.beginRequest()
        let headless = early.outcome(fixture.end())
        _ = early.answered(201)
        let short = try fixture.machine(method: "GET", sink: fixture.partial())
        short.beginRequest()
        _ = short.answered(200, ["Content-Length": "9"])
        let outcomes = [
            headless, early.outcome(fixture.end(sent: 99)), short.outcome(fixture.end(file: .writing(isShort: true))),
        ]
        for outcome in outcomes {
            guard case .broke(let failure) = outcome.ending else { return #expect(Bool(false), "\(outcome.ending)") }
            #expect(!failure.message.contains("tried again"), "\(failure.message)")
            #expect(failure.message.contains("ry again.") || failure.message.contains("operator"))
        }
    }

    @Test func aFileThatIsShortIsNotComplete() throws {
        for (file, code) in [
            (.writing(isShort: true), .lengthMismatch), (.comparing(upTo: 7), .lengthMismatch),
            (.writing(isShort: false), nil),
        ] as [(ExchangeMachine.PartialFileState, FailureCode?)] {
            let trial = try fixture.machine(method: "GET", sink: fixture.partial())
            trial.beginRequest()
            #expect(trial.answered(200, ["Content-Length": "9"]) == .write(from: 0, bodyLength: 9))
            let outcome = trial.outcome(fixture.end(file: file))
            #expect(fixture.failure(outcome) == code)
            if case .comparing = file { #expect(outcome.disposition == .written(length: 7, isComplete: false)) }
        }
    }

    @Test func aHeldBodyThatEndsAtOnceWaitsForTheDecision() throws {
        let trial = try fixture.machine(method: "GET", sink: fixture.partial(from: 100))
        trial.beginRequest()
        guard case .report = trial.answered(200, ["Content-Length": "0"]) else {
            return #expect(Bool(false), "A complete body instead of a range must be reported.")
        }
        let outcome = trial.outcome(fixture.end())
        #expect(!trial.isOver(outcome) && !trial.phase.isAtWork)
        #expect(try #require(trial.heldBody).bodyLength == 0)
        #expect(try #require(trial.writeHeld()).disposition == .written(length: 0, isComplete: true))
        guard case .report(let cancelled) = trial.cancel() else {
            return #expect(Bool(false), "The exchange must end immediately.")
        }
        #expect(cancelled.ending == .cancelled)
    }

    @Test func aHeldBodyThatBreaksOffIsOver() throws {
        let trial = try fixture.machine(method: "GET", sink: fixture.partial(from: 100))
        trial.beginRequest()
        _ = trial.answered(200, ["Content-Length": "50"])
        #expect(trial.isOver(trial.outcome(fixture.end(isClean: false))))
    }

    @Test func aCancelOfWhatIsNotConnectedEndsItAndOneOfWhatEndsDoesNothing() throws {
        let trial = try fixture.machine(method: "GET")
        guard case .report(let outcome) = trial.cancel() else {
            return #expect(Bool(false), "The exchange must end immediately.")
        }
        #expect(outcome.ending == .cancelled && !outcome.requestLeft)
        trial.beginRequest()
        guard case .breakOff(.cancelled) = trial.cancel() else {
            return #expect(Bool(false), "The exchange must be interrupted.")
        }
        trial.machine.finishWriting(ExchangeOutcome(ending: .responded))
        guard case .nothing = trial.cancel() else { return #expect(Bool(false), "The exchange is already ending.") }
    }

    @Test func aSyncThatFailsWhileTheFileIsClosedIsNotForgotten() throws {
        let trial = try fixture.machine(method: "GET", sink: fixture.partial())
        trial.beginRequest()
        trial.machine.finishWriting(ExchangeOutcome(ending: .responded))
        _ = trial.machine.syncFailed(TransferFailure(.diskFull, "The disk is full."))
        let outcome = try #require(trial.closed(length: 5, failure: nil))
        #expect(fixture.failure(outcome) == .diskFull)
        #expect(outcome.disposition == .written(length: 5, isComplete: false))
    }

    @Test func aFileThatCannotBeOpenedHoldsNothing() throws {
        let trial = try fixture.machine(method: "GET", sink: fixture.partial())
        trial.beginRequest()
        trial.machine.finishWriting(ExchangeOutcome(ending: .responded))
        let failure = TransferFailure(.fileFailed, "It cannot be opened.")
        let outcome = try #require(trial.closed(length: nil, failure: failure))
        #expect(outcome.disposition == .none && fixture.failure(outcome) == .fileFailed)
    }
}
