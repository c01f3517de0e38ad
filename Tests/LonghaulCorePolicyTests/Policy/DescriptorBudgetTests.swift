import LonghaulCore
import Testing

@Suite struct DescriptorBudgetTests {
    @Test(arguments: [
        (20_000, 4_744), (1_024, 224), (256, 48), (64, 1), (0, 1), (-5, 1), (Int.max, 2_305_843_009_213_693_695),
    ])
    func someAreKeptAndTheRestIsSharedOut(limit: Int, transfers: Int) {
        #expect(DescriptorBudget(limit: limit).transfers == transfers)
    }
}
