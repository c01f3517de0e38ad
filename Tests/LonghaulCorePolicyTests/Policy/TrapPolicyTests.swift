import LonghaulCore
import Testing

@Suite struct TrapPolicyTests {
    private let first = TransferID(high: 1, low: 1)
    private let second = TransferID(high: 2, low: 2)

    @Test func firstTrapIsForgiven() {
        #expect(TrapPolicy.culprits(of: []) == [])
        #expect(TrapPolicy.culprits(of: [TrapEntry(first, .handling), TrapEntry(second, .reading)]) == [])
    }

    @Test func theSecondIsNotWhateverTheProcessDiedOfInBetween() {
        let entries = [TrapEntry(first, .handling), TrapEntry(second, .handling), TrapEntry(first, .handling)]
        #expect(TrapPolicy.culprits(of: entries) == [TrapEntry(first, .handling)])
    }

    @Test func aRecordThatTrappedWhileItWasReadIsNotReadAgain() {
        let entries = [TrapEntry(first, .reading), TrapEntry(second, .handling), TrapEntry(first, .handling)]
        #expect(
            TrapPolicy.culprits(of: entries + [entries[1]]) == [
                TrapEntry(first, .reading), TrapEntry(second, .handling),
            ])
    }

    @Test func trapFailureSuggestsDoctorCommand() {
        for work in [TrapEntry.Work.reading, .handling] {
            let failure = TrapPolicy.failure(of: TrapEntry(first, work), place: "/p")
            #expect(failure.code == .internalFault && failure.message.contains("longhaul doctor \(first)"))
            #expect(failure.message.contains("/p") == (work == .reading))
        }
    }
}
