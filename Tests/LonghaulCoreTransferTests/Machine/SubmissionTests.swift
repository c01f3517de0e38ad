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

    @Test func anEmptyKeyIsRefused() {
        #expect(throws: TransferFailure.self) { try accept { $0.options.key = "" } }
    }

    @Test(arguments: ["HEAD", "TRACE"]) func aMethodWithoutABodyGetsNone(_ method: String) throws {
        #expect(throws: TransferFailure.self) {
            try accept { ($0.method, $0.work) = (method, .request(body: [1])) }
        }
        #expect(throws: TransferFailure.self) {
            try accept {
                let file = SourceFile(path: "/a", pin: SourcePin(size: 0, modified: 1, inode: 2, device: 3))
                ($0.method, $0.work) = (method, .upload(.raw(file)))
            }
        }
        #expect(try accept { ($0.method, $0.work) = (method, .request(body: [])) }.spec.method == method)
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
