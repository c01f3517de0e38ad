import Testing

@testable import LonghaulCore

/// Exchanges that outlive the process, and a machine without a step that meets one, in each state.
@Suite struct SurvivingTests {
    @Test func anExchangesNameIsReadAgain() {
        let id = TransferID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0001)
        let exchange = ExchangeID(transfer: id, attempt: 3)
        #expect(exchange.description == "longhaul 1 \(id) 3")
        #expect(ExchangeID(exchange.description) == exchange)
        for text in ["", "longhaul 1 \(id)", "longhaul 2 \(id) 3", "longhaul 1 \(id) -1", "longhaul 1 x 3", "\(id)"] {
            #expect(ExchangeID(text) == nil)
        }
    }

    @Test func survivingUploadIsAdoptedAndNotResent() {
        for method in ["PUT", "POST"] {
            var world = MachineFixture.upload(method)
            world.feed(.turnGranted)
            let survivor = world.survivor()
            #expect(world.crash(.survived(survivor)) == [.adopt(survivor.id)])
            #expect(world.state == .running(.sending))
            world.engine(.bodySent)
            #expect(world.state == .awaitingResponse)
            world.engine(.ended(.ok(201)))
            #expect(world.state == .succeeded && world.facts.attempts == 1)
        }
    }

    @Test func aRecordThatLagsBehindItsExchangeCatchesUp() {
        var world = MachineFixture.upload("PUT")
        let stored = world.machine
        world.feed(.turnGranted)
        let survivor = world.survivor(isBodySent: true)
        world.machine = stored
        #expect(world.crash(.survived(survivor)) == [.adopt(survivor.id)])
        #expect(world.state == .awaitingResponse && world.facts.attempts == 1)
        #expect(world.facts.bytesTotal == 1_000 && world.facts.startedAt != nil)
    }

    @Test func survivingDownloadIsJudgedByItsRequestedRange() throws {
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        let whole = world.survivor()
        #expect(world.crash(.survived(whole)) == [.adopt(whole.id)])
        world.engine(.written(1_000, complete: true))
        #expect(world.state == .running(.verifying))

        world = MachineFixture.download()
        world.feed(.turnGranted)
        world.engine(.receiving(.file()))
        let point = ResumePoint(length: 400, overlap: 0, validators: try #require(world.facts.download.validators))
        let part = world.survivor(resume: point)
        #expect(world.crash(.survived(part)) == [.adopt(part.id)])
        // A part does not count as the whole file: the rest is requested.
        let actions = world.engine(.written(600, complete: true))
        #expect(actions.exchange?.headers.single("Range") != nil)
    }

    @Test func aDownloadThatEndsWithAnotherVersionIsOfThatVersion() {
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        world.engine(.receiving(.file(tag: "\"one\"")))
        var outcome = ExchangeOutcome(
            ending: .responded, head: .file(tag: "\"two\""), disposition: .written(length: 1_000, isComplete: true))
        outcome.bytesReceived = 1_300
        world.engine(.exchangeEnded(outcome))
        #expect(world.facts.download.validators?.entityTag == "\"two\"")
    }

    @Test func verifiedEndedAndOlderExchangesAreNotAdopted() {
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        world.engine(.written(1_000, complete: true))
        let survivor = world.survivor()
        world.machine = TransferMachine(world.machine.record)
        #expect(world.feed(.survived(survivor)) == [] && world.state == .running(.verifying))

        world = MachineFixture.upload("PUT")
        world.feed(.turnGranted)
        let first = world.survivor()
        world.engine(.broke(.connectionLost))
        world.now = world.now + .seconds(1_000)
        world.feed(.due)
        world.feed(.turnGranted)
        world.machine = TransferMachine(world.machine.record)
        #expect(world.feed(.survived(first)) == [])
        world.feed(.command(.cancel))
        #expect(world.feed(.survived(world.survivor())) == [])
    }

    @Test func tusAsksItsServer() {
        var world = MachineFixture.tus()
        world.feed(.turnGranted)
        world.machine = TransferMachine(world.machine.record)
        #expect(world.feed(.survived(world.survivor())) == [] && world.machine.step == nil)
    }

    /// The process died between the pause and the call to the system.
    @Test func aPausedRequestThatMustNotBeRepeatedIsHeardToItsEnd() {
        for (sent, mayHaveArrived) in [(Int64(400), false), (400, true), (1_000, true)] {
            var world = MachineFixture.upload("POST")
            world.feed(.turnGranted)
            world.feed(.command(.pause))
            let survivor = world.survivor()
            #expect(world.crash(.survived(survivor)) == [.adopt(survivor.id), .stop])
            world.engine(
                .exchangeEnded(
                    ExchangeOutcome(ending: .cancelled, bytesSent: sent, mayHaveArrived: mayHaveArrived)))
            #expect(world.isUnknown == mayHaveArrived)
            #expect(mayHaveArrived || world.state == .paused)
        }
        var put = MachineFixture.upload("PUT")
        put.feed(.turnGranted)
        put.feed(.command(.pause))
        #expect(put.crash(.survived(put.survivor())) == [.adopt(put.survivor().id), .stop] && put.state == .paused)
    }

    /// An engine that cannot hold back the last bytes may find that all were sent when it is told to stop.
    @Test func aBodyThatLeftBeforeTheStopIsNotSentAgain() {
        for verb in [TransferEvent.command(.pause), .relocated, .withheld(.metered, until: nil)] {
            var world = MachineFixture.upload("POST")
            world.feed(.turnGranted)
            #expect(world.feed(verb) == [.stop])
            world.engine(
                .exchangeEnded(ExchangeOutcome(ending: .cancelled, bytesSent: 1_000, mayHaveArrived: true)))
            #expect(world.state == .failed(.outcomeUnknown))
        }
    }

    @Test func doubtfulStopHappensOnlyOnCancel() {
        let replacement = Replacement(url: "http://example.org/elsewhere")
        let trust = Replacement(url: "", key: TrustedKey(origin: "http://example.org", publicKey: "sha256//AAAA"))
            .completed(from: MachineFixture.upload("POST").machine.record.spec)
        for event in [
            TransferEvent.command(.pause), .relocated, .withheld(.power, until: nil), .replaced(replacement),
            .replaced(trust),
        ] {
            var world = MachineFixture.upload("POST")
            world.feed(.turnGranted)
            let before = world.machine
            world.stopLeavesDoubt = true
            #expect(event.mayStop && world.feed(event) == [] && world.machine == before)
            #expect(world.feed(.command(.cancel)) == [.stop] && world.state == .cancelled)
        }
    }

    /// Stopped or not: a timeout does not prove that nothing has arrived.
    @Test func aLimitOfTimeOnWhatMayHaveArrivedLeavesTheOutcomeUnknown() {
        for (limit, verb) in [
            (TransferEvent.deadlinePassed, nil), (.starved, nil), (.deadlinePassed, TransferEvent.command(.pause)),
            (.deadlinePassed, .withheld(.metered, until: nil)),
        ] {
            var world = MachineFixture.upload("POST")
            world.feed(.turnGranted)
            if let verb { world.feed(verb) }
            world.stopLeavesDoubt = true
            world.feed(limit)
            #expect(world.isUnknown && world.machine.step == .stopping(.sending))
            world.engine(.exchangeEnded(ExchangeOutcome(ending: .cancelled, bytesSent: 400, mayHaveArrived: true)))
            #expect(world.isUnknown && world.facts.endedAt != nil)
        }
    }

    /// At the deadline, the engine had seen no byte leave; the whole body was sent before it stopped. The process may
    /// die in between.
    @Test func arrivalAfterDeadlineLeavesOutcomeUnknown() {
        for dies in [false, true] {
            for mayHaveArrived in [false, true] {
                var world = MachineFixture.upload("POST")
                world.feed(.turnGranted)
                let survivor = world.survivor()
                #expect(world.feed(.deadlinePassed) == [.stop] && !world.isUnknown)
                if dies { #expect(world.crash(.survived(survivor)) == [.adopt(survivor.id), .stop]) }
                world.engine(
                    .exchangeEnded(
                        ExchangeOutcome(ending: .cancelled, bytesSent: 1_000, mayHaveArrived: mayHaveArrived)))
                #expect(world.isUnknown == mayHaveArrived && world.state.isEnded)
            }
        }
        var lost = MachineFixture.upload("POST")
        lost.feed(.turnGranted)
        lost.feed(.deadlinePassed)
        #expect(lost.crash(.vanished) == [] && lost.isUnknown)
    }

    @Test func aSuccessIsOneAfterTheLimitOfTimeToo() {
        for method in ["PUT", "POST"] {
            var world = MachineFixture.upload(method)
            world.feed(.turnGranted)
            var survivor = world.survivor()
            survivor.hasSucceeded = true
            world.stopLeavesDoubt = method == "POST"
            world.feed(.deadlinePassed)
            #expect(world.crash(.survived(survivor)) == [.adopt(survivor.id), .stop])
            world.engine(.ended(.ok(201)))
            #expect(world.state == .succeeded)
        }
    }

    /// The process may die between the pause and the call to the system.
    @Test func fileCompletedDuringPauseIsNotRequestedAgain() {
        for dies in [false, true] {
            var world = MachineFixture.download()
            world.feed(.turnGranted)
            var survivor = world.survivor()
            survivor.hasSucceeded = true
            world.feed(.command(.pause))
            if dies { #expect(world.crash(.survived(survivor)) == [.adopt(survivor.id), .stop]) }
            world.engine(.receiving(.file()))
            world.engine(.checkpoint(1_000))
            world.engine(.written(1_000, complete: true))
            #expect(world.state == .paused && world.machine.step == nil)
            world.bootID = "boot-2"
            world.feed(.command(.resume))
            world.feed(.turnGranted)
            world.engine(.partialMeasured(.success(1_000)))
            #expect(world.state == .running(.verifying))
        }
    }

    /// It was sent while the process was not running, or the system has restarted it automatically: according to the record, it is being
    /// sent.
    @Test func interruptedUploadIsRetriedUnlessItMayHaveArrived() {
        for (method, mayHaveArrived) in [("POST", true), ("POST", false), ("PUT", false)] {
            var world = MachineFixture.upload(method)
            world.feed(.turnGranted)
            let survivor = world.survivor()
            #expect(world.crash(.survived(survivor)) == [.adopt(survivor.id)])
            let failure = TransferFailure(.connectionLost, "It broke.")
            world.engine(
                .exchangeEnded(
                    ExchangeOutcome(ending: .broke(failure), bytesSent: 400, mayHaveArrived: mayHaveArrived)))
            #expect(world.isUnknown == mayHaveArrived)
            #expect(mayHaveArrived || world.isWaiting)
        }
    }

    /// The process died after it had stopped the exchange to move it, and before the loop had committed that.
    @Test func relocatedExchangeThatArrivedIsNotRepeated() {
        for mayHaveArrived in [true, false] {
            var world = MachineFixture.upload("POST")
            world.feed(.turnGranted)
            let survivor = world.survivor()
            world.feed(.relocated)
            #expect(world.crash(.survived(survivor)) == [.adopt(survivor.id)])
            world.engine(
                .exchangeEnded(ExchangeOutcome(ending: .cancelled, bytesSent: 1_000, mayHaveArrived: mayHaveArrived)))
            #expect(world.isUnknown == mayHaveArrived)
        }
    }

    /// The process died between the success and the loop's commit, or after a stop that came too late.
    @Test func succeededExchangeIsNotRepeatedAfterStop() {
        for verb in [TransferEvent.command(.pause), .withheld(.metered, until: nil)] {
            var world = MachineFixture.upload("PUT")
            world.feed(.turnGranted)
            world.feed(verb)
            var survivor = world.survivor()
            survivor.hasSucceeded = true
            #expect(world.crash(.survived(survivor)) == [.adopt(survivor.id), .stop])
            world.engine(.ended(.ok(201)))
            #expect(world.state == .succeeded)
        }
    }

    @Test func lostExchangeEndsOnlyIfUnrepeatable() {
        for (method, isRepeated) in [("POST", false), ("PUT", true)] {
            var world = MachineFixture.upload(method)
            world.feed(.turnGranted)
            let actions = world.crash(.vanished)
            #expect((actions.exchange != nil) == isRepeated)
            #expect((world.state == .failed(.outcomeUnknown)) == !isRepeated)
        }
    }

    @Test func relocationLeavesStartTimeToCarrier() {
        for (var world, reason) in [
            (MachineFixture.upload("PUT"), Waiting.Reason.turn), (MachineFixture.tus(), .notBefore),
        ] {
            let date = world.now + .seconds(60)
            world.machine.record.spec.options.earliestBeginDate = date
            world.machine.record.state = .waiting(Waiting(.notBefore, since: world.now, until: date))
            #expect(world.feed(.relocated) == [] && world.reason == reason)
        }
    }

    @Test func relocationStopsWhatIsSentAndNothingElse() {
        var world = MachineFixture.upload("PUT")
        world.feed(.turnGranted)
        #expect(world.feed(.relocated) == [.stop] && world.reason == .turn)
        world.engine(.exchangeEnded(ExchangeOutcome(ending: .cancelled, bytesSent: 300)))
        #expect(world.feed(.turnGranted).exchange != nil && world.facts.attempts == 1)

        world.engine(.bodySent)
        #expect(world.feed(.relocated) == [] && world.state == .awaitingResponse)
        #expect(world.feed(.relocated) == [])

        var download = MachineFixture.download()
        #expect(download.feed(.relocated) == [])
        download.feed(.turnGranted)
        download.engine(.written(1_000, complete: true))
        #expect(download.feed(.relocated) == [] && download.state == .running(.verifying))
    }

    @Test func unrepeatableRequestNeverLagsWithoutHeldBytes() {
        let carried = EngineTraits(holdsLastBytes: false, outlivesProcess: true)
        for (method, mayLag) in [("PUT", true), ("POST", false)] {
            var world = MachineFixture.upload(method)
            let stored = world.machine.record
            world.feed(.turnGranted)
            #expect(world.machine.record.mayLag(behind: stored))
            #expect(world.machine.record.mayLag(behind: stored, traits: carried) == mayLag)
        }
    }
}

extension MachineFixture {
    fileprivate var isUnknown: Bool {
        if case .failed(let failure) = state { failure.code == .outcomeUnknown } else { false }
    }

    fileprivate var isWaiting: Bool { reason != nil }

    fileprivate var reason: Waiting.Reason? {
        if case .waiting(let waiting) = state { waiting.reason } else { nil }
    }
}
