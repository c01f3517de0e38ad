import LonghaulCore
import Testing

/// The decisions about the requests that processes leave for the case that they are lost.
@Suite struct LastWillMachineTests {
    private var session = SessionFixture()

    private static func will(_ witness: String, _ url: String = "http://a.test/") -> LastWill {
        LastWill(
            request: TransferSpec(work: .request(body: []), method: "POST", url: url), witness: witness)
    }

    @Test mutating func lostAppChecksBackOff() {
        session.feed(.attached(SessionFixture.app))
        #expect(session.feed(.lastWill(.keep(Self.will("a")))) == [.write(.lastWills([Self.will("a")]))])
        #expect(session.machine.hasWorkAhead(at: session.now), "the service must keep running for the check")
        session.feed(.detached(SessionFixture.app))
        var waits: [Duration] = []
        for _ in 0..<9 {
            #expect(session.advance() == [.findLost(["a"])])
            #expect(session.advance().isEmpty)
            let next = session.machine.nextDate(at: session.now) ?? session.now
            waits.append(next - session.now)
            session.now = next
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 64, 64, 64].map { .seconds($0) })
    }

    @Test mutating func theWillOfTheLostIsForgottenAndSubmittedTogether() {
        session.feed(.lastWill(.keep(Self.will("a"))))
        session.feed(.lastWill(.keep(Self.will("b"))))
        #expect(
            session.feed(.lost(["a"])) == [
                .write(.lastWills([Self.will("b")])), .submit([Self.will("a").request]), .forgetWitness("a"),
            ])
        #expect(session.feed(.lost(["a"])).isEmpty)
    }

    @Test mutating func aProcessHasOneAndEachHasItsOwn() {
        session.feed(.lastWill(.keep(Self.will("a", "http://a.test/first"))))
        session.feed(.lastWill(.keep(Self.will("b"))))
        session.feed(.lastWill(.keep(Self.will("a", "http://a.test/second"))))
        #expect(session.machine.lastWills.wills == [Self.will("a", "http://a.test/second"), Self.will("b")])
    }

    @Test mutating func aGoodbyeTakesItsOwnBack() {
        session.feed(.lastWill(.keep(Self.will("a"))))
        #expect(session.feed(.lastWill(.takeBack(witness: "b"))).isEmpty)
        #expect(session.feed(.lastWill(.takeBack(witness: "a"))) == [.write(.lastWills([])), .forgetWitness("a")])
        #expect(!session.machine.hasWorkAhead(at: session.now))
    }

    @Test mutating func aClockThatIsSetBackDoesNotPutTheLookOff() {
        session.feed(.lastWill(.keep(Self.will("a"))))
        session.now = session.now - .seconds(100_000)
        session.feed(.clockChanged)
        #expect(session.advance() == [.findLost(["a"])])
    }

    @Test(arguments: ["", "a/b", "..", "."]) mutating func aWitnessThatLeadsElsewhereIsRefused(_ name: String) {
        guard case .refuse(let failure)? = session.feed(.lastWill(.keep(Self.will(name)))).first else {
            Issue.record("it was kept")
            return
        }
        #expect(failure.code == .invalidArgument && session.machine.lastWills.wills.isEmpty)
    }

    @Test mutating func invalidLastWillIsRefused() {
        guard case .refuse(let failure)? = session.feed(.lastWill(.keep(Self.will("a", "ftp://a.test/")))).first else {
            Issue.record("it was kept")
            return
        }
        #expect(failure.code == .unsupportedScheme)
    }

    @Test mutating func lastWillCountIsLimited() {
        for number in 0..<64 { session.feed(.lastWill(.keep(Self.will("\(number)")))) }
        #expect(session.machine.lastWills.wills.count == 64)
        guard case .refuse? = session.feed(.lastWill(.keep(Self.will("64")))).first else {
            Issue.record("it was kept")
            return
        }
        #expect(session.feed(.lastWill(.keep(Self.will("63")))).count == 1, "its own is replaced")
    }
}
