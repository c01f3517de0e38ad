import LonghaulCore

/// Short helpers for exchanges and their results.
struct ExchangeFixture {
    let sight = ExchangeMachine.HeadContext(now: 0, isShared: false, hasGivenAll: false)

    func machine(
        method: String, body: Int64? = nil, holds: Bool = false, repeating: Bool = false, limit: Int = 5,
        sink: SinkPlan = .memory(limit: 1_000)
    ) throws -> ExchangeTrial {
        var network = NetworkOptions()
        network.redirectLimit = limit
        let bytes = body.map { length in
            BodyPlan(segments: [], length: length, holdsLastBytes: holds)
        }
        let plan = ExchangePlan(
            method: method, url: "https://h/f", headers: [], body: bytes, sink: sink, network: CopyOnWrite(network),
            followsOnlyRepeatingRedirects: repeating)
        return ExchangeTrial(ExchangeMachine(plan, url: try TransferURL(parsing: plan.url)))
    }

    func partial(from start: Int64? = nil) -> SinkPlan {
        let validators = Validators(entityTag: "\"a\"", lastModified: nil, isSoft: false, total: nil)
        let point = start.map { ResumePoint(length: $0, overlap: 0, validators: validators) }
        return .partial(PartialPlan(path: "/f", resume: point, digests: []))
    }

    func head(_ status: Int, _ fields: KeyValuePairs<String, String> = [:]) -> ResponseHead {
        ResponseHead(status: status, headers: fields.map { HeaderField($0, $1) }, effectiveURL: "https://h/f")
    }

    func end(
        isClean: Bool = true, sent: Int64 = 0, mostSent: Int64 = 0, file: ExchangeMachine.PartialFileState? = nil
    ) -> ExchangeMachine.End {
        ExchangeMachine.End(isClean: isClean, requestLeft: true, bytesSent: sent, mostSent: mostSent, file: file)
    }

    func failure(_ outcome: ExchangeOutcome) -> FailureCode? {
        if case .broke(let failure) = outcome.ending { failure.code } else { nil }
    }
}

/// Feeds events to an exchange, where a test checks the answer.
@dynamicMemberLookup final class ExchangeTrial {
    var machine: ExchangeMachine

    init(_ machine: ExchangeMachine) {
        self.machine = machine
    }

    subscript<Value>(dynamicMember path: KeyPath<ExchangeMachine, Value>) -> Value { machine[keyPath: path] }

    func begin() -> Bool { machine.begin() }
    func beginRequest() { machine.beginRequest() }
    func expectsContinue() -> Bool { machine.expectsContinue() }
    func hasSentSendable() -> Bool { machine.hasSentSendable() }
    func release() -> ExchangeMachine.Release { machine.release() }
    func receive(_ head: ResponseHead) -> Bool { machine.receive(head) }
    func decide(_ sight: ExchangeMachine.HeadContext) -> ExchangeMachine.Answer { machine.decide(sight) }
    func follow() -> ExchangeMachine.Following? { machine.follow() }
    func isOver(_ outcome: ExchangeOutcome) -> Bool { machine.isOver(outcome) }
    func writeHeld() -> ExchangeOutcome? { machine.writeHeld() }
    func cancel() -> ExchangeMachine.Ending { machine.cancel() }
    func closed(length: Int64?, failure: TransferFailure?) -> ExchangeOutcome? {
        machine.closed(length: length, failure: failure)
    }
    func outcome(_ end: ExchangeMachine.End) -> ExchangeOutcome {
        machine.outcome(end) { TransferFailure(.connectionLost, "The connection was lost.") }
    }

    /// Delivers headers while the request's body is being sent.
    func answered(_ status: Int, _ fields: KeyValuePairs<String, String> = [:]) -> ExchangeMachine.Answer {
        let fixture = ExchangeFixture()
        return receive(fixture.head(status, fields)) ? decide(fixture.sight) : .nothing
    }

    func keep(_ bytes: [UInt8]) { bytes.withUnsafeBytes { machine.kept.keep($0, limit: .max) } }
}
