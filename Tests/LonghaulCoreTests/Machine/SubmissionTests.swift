import Testing

@testable import LonghaulCore

@Suite struct SubmissionTests {
    private let now = WallTime(seconds: 1_800_000_000)

    private func accept(_ change: (inout TransferSpec) -> Void) throws(TransferFailure) -> TransferRecord {
        var spec = TransferSpec(
            work: .download(DownloadSpec(directory: "/tmp", fileName: "a")), method: "GET", url: "http://example.org/a")
        change(&spec)
        return try TransferRecord.accept(spec, id: TransferID(high: 1, low: 2), at: now).record
    }

    @Test(arguments: [Int.min, -1_000_001, 1_000_001, Int.max])
    func aPriorityBeyondReasonIsRefused(_ priority: Int) {
        #expect(throws: TransferFailure.self) { try accept { $0.options.priority = priority } }
    }

    @Test func aResponseLimitBelowNothingIsRefused() {
        #expect(throws: TransferFailure.self) { try accept { $0.options.responseLimit = -1 } }
    }

    @Test func theTimeLimitBeginsWhenTheTransferMayBegin() throws {
        let date = now + .seconds(30 * 86_400)
        let record = try accept { $0.options.earliestBeginDate = date }
        #expect(record.facts.deadline == date + .seconds(604_800))
        #expect(try accept { _ in }.facts.deadline == now + .seconds(604_800))
    }
}
