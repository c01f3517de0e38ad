import LonghaulCore
import Testing

@Suite struct CredentialUseTests {
    private static let name = CredentialName("photos")
    private var session = SessionFixture()

    private func transfer(_ number: UInt64, _ state: TransferState? = nil) -> TransferMachine {
        var spec = TransferSpec(work: .request(body: []), method: "GET", url: "http://a.test/")
        spec.options.credentialName = Self.name
        let waiting = TransferState.waiting(Waiting(.credentials, since: SessionFixture.start))
        return TransferMachine(
            TransferRecord(
                id: TransferID(high: 1, low: number), spec: spec, state: state ?? waiting,
                createdAt: SessionFixture.start))
    }

    private mutating func consult(_ number: UInt64, isAnswer: Bool = false) -> [SessionEffect] {
        session.machine.consult(transfer(number), isAnswer: isAnswer, at: session.now)
    }

    private mutating func answer(_ answer: CredentialAnswer) throws {
        guard case .query(let question)? = consult(1).first else { throw TransferFailure(.internalFault, "not asked") }
        _ = session.machine.credentials.answered(question.number, answer, at: session.now)
    }

    private func head(_ status: Int) -> ResponseHead {
        ResponseHead(status: status, headers: [], effectiveURL: "http://a.test/")
    }

    @Test mutating func theFirstAsksAndTheOthersWaitForItsAnswer() throws {
        #expect(session.machine.credentials.lacks(for: transfer(1), at: session.now))
        try answer(.given(.bearer("one"), expiresAt: nil, isHelpers: true))
        #expect(!session.machine.credentials.lacks(for: transfer(1), at: session.now))
        #expect(consult(2) == [.feed(TransferID(high: 1, low: 2), .credentialsGiven)])
    }

    @Test mutating func waitingTransferLearnsCredentialIsUnavailable() throws {
        try answer(.none(.nobody))
        guard case .feed(_, .credentialsUnavailable)? = consult(2).first else { return #expect(Bool(false)) }
    }

    @Test mutating func runningTransferIsNotConsulted() {
        #expect(session.machine.consult(transfer(1, .running(.sending)), at: session.now).isEmpty)
    }

    @Test mutating func aHelperHearsOnceThatItsCredentialWasTakenOrRefused() throws {
        try answer(.given(.bearer("one"), expiresAt: nil, isHelpers: true))
        let scope = try #require(transfer(1).credentialScopes.first)
        let held = try #require(session.machine.credentials.held(scope, at: session.now))
        let use = CredentialUse(scope: scope, edition: held.edition)
        func verdict(_ effects: [SessionEffect]) -> CredentialVerdict? {
            if case .notifyHelper(let verdict, _, _)? = effects.first { verdict } else { nil }
        }
        #expect(
            verdict(session.machine.applyResponse(head(200), to: use, isRepeated: false, at: session.now)) == .approved)
        #expect(session.machine.applyResponse(head(200), to: use, isRepeated: false, at: session.now).isEmpty)
        #expect(
            verdict(session.machine.applyResponse(head(401), to: use, isRepeated: false, at: session.now)) == .rejected)
        #expect(session.machine.credentials.lacks(for: transfer(1), at: session.now))
    }
}
