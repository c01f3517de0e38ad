import Testing

@testable import LonghaulCore

struct FilePartTests {
    private func seen(
        _ range: FilePart, _ status: Int, _ contentRange: String?, isResumed: Bool = false
    ) -> (status: Int, range: String?)? {
        let fields = contentRange.map { [HeaderField("Content-Range", $0)] } ?? []
        let head = ResponseHead(
            status: status, headers: fields + [HeaderField("Repr-Digest", "md5=:AAAA:")], effectiveURL: "http://h/")
        guard let seen = range.seen(head, isResumed: isResumed) else { return nil }
        #expect(seen.headers.all("Repr-Digest").isEmpty, "it is that of the whole")
        return (seen.status, seen.headers.single("Content-Range"))
    }

    @Test(
        arguments: [
            (100, 199, "bytes 100-199/1000", 200, nil), (100, 199, "bytes 100-199/*", 200, nil),
            (900, 1_999, "bytes 900-999/1000", 200, nil), (100, nil, "bytes 100-999/1000", 200, nil),
            // A range of the part is not the whole part.
            (100, 199, "bytes 100-149/1000", 206, "bytes 0-49/100"),
            (100, 199, "bytes 110-199/1000", 206, "bytes 10-99/100"),
            (100, 199, "bytes 0-99/1000", 206, "bytes 0-99/1000"),
        ] as [(Int64, Int64?, String, Int, String?)])
    func partResponseBecomesFileResponse(first: Int64, last: Int64?, answer: String, status: Int, range: String?) {
        let found = seen(FilePart(first: first, last: last), 206, answer)
        #expect(found?.status == status && found?.range == range)
    }

    @Test func rangeOfResumedPartIsRelativeToThePart() {
        let range = FilePart(first: 100, last: 199)
        #expect(seen(range, 206, "bytes 150-199/1000", isResumed: true)?.range == "bytes 50-99/100")
        #expect(seen(range, 416, "bytes */1000", isResumed: true)?.range == "bytes */100")
        #expect(seen(range, 416, "bytes */150", isResumed: true)?.range == "bytes */50")
        #expect(seen(range, 200, nil, isResumed: true)?.status == 412, "the whole instead of the rest: it has changed")
        #expect(seen(range, 200, nil) == nil, "parts are unknown to this server")
        #expect(seen(range, 404, nil)?.status == 404)
    }

    @Test(
        arguments: [
            (-100, "bytes 900-999/1000", 200, nil), (-100, "bytes 900-999/*", 200, nil),
            // The file is shorter.
            (-100, "bytes 0-49/50", 200, nil),
            // Bytes of another part are not the last ones.
            (-100, "bytes 900-949/1000", 206, "bytes 900-949/1000"),
            (-100, "bytes 950-999/1000", 206, "bytes 50-99/100"),
            (-100, "bytes 800-999/1000", 206, "bytes 800-999/1000"),
        ] as [(Int64, String, Int, String?)])
    func lastBytesAreAFileOfTheirOwn(first: Int64, answer: String, status: Int, range: String?) {
        let found = seen(FilePart(first: first, last: nil), 206, answer)
        #expect(found?.status == status && found?.range == range)
    }

    @Test func restOfLastBytesIsCountedFromTheEnd() {
        let part = FilePart(first: -100, last: nil)
        #expect(part.field(from: 0).value == "bytes=-100")
        #expect(part.field(from: 30, of: 100).value == "bytes=-70")
        #expect(part.field(from: 30, of: 50).value == "bytes=-20", "the file is shorter than the part")
        #expect(seen(part, 206, "bytes 930-999/1000", isResumed: true)?.range == "bytes 30-99/100")
        #expect(seen(part, 206, "bytes 30-49/50", isResumed: true)?.range == "bytes 30-49/50")
        #expect(seen(part, 416, "bytes */0")?.range == "bytes */0")
        #expect(seen(part, 200, nil) == nil, "parts are unknown to this server")
        let short = ResponseHead(status: 200, headers: [HeaderField("Content-Length", "99")], effectiveURL: "http://h/")
        #expect(part.seen(short, isResumed: false)?.status == 200, "the file is shorter than the part")
        #expect(!FilePart(first: -1, last: 5).isPossible && part.isPossible)
    }

    @Test func numbersAtTheEndOfTheirRangeAreNoTrap() {
        let range = FilePart(first: .max, last: .max)
        #expect(seen(range, 206, "bytes 0-0/1") != nil)
        #expect(seen(FilePart(first: 0, last: .max), 416, "bytes */9223372036854775807") != nil)
    }
}
