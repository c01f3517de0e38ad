import LonghaulCore
import Testing

@Suite struct ContentRangeTests {
    @Test(
        arguments: [
            ("bytes 0-499/1234", .part(first: 0, last: 499, total: 1234)),
            ("bytes 42-1233/*", .part(first: 42, last: 1233, total: nil)),
            ("bytes */1234", .unsatisfied(total: 1234)),
            ("bytes */0", .unsatisfied(total: 0)),
            ("bytes 5-4/5", .empty(at: 5, total: 5)), ("bytes 5-4/10", .empty(at: 5, total: 10)),
            ("bytes 5-4/*", .empty(at: 5, total: nil)),
            ("Bytes 0-0/1", .part(first: 0, last: 0, total: 1)),
            ("bytes 007-010/0020", .part(first: 7, last: 10, total: 20)),
            ("bytes 0-9223372036854775806/9223372036854775807", .part(first: 0, last: .max - 1, total: .max)),
        ] as [(String, ContentRange)])
    func rangesAreRead(text: String, range: ContentRange) {
        #expect(ContentRange(text) == range)
    }

    @Test(arguments: [
        "", "bytes", "bytes ", "bytes 0-499", "bytes 0-499/", "bytes -499/1234", "bytes 0-/1234", "bytes 5-3/10",
        "bytes 5-4/4",
        "bytes 0-10/10", "bytes */*", "bytes */", "bytes=0-1/2", "bytes  0-1/2", "bytes 0-1/2 ", "bytes 0 - 1/2",
        "items 0-1/2", "bytes 0-1/-2", "bytes +0-1/2", "bytes 0-9223372036854775807/*", "bytes 0-1/2,3-4/5",
        "bytes 0-9223372036854775808/*", "bytes 0-1/99999999999999999999", "bytes 0-1/2, bytes 0-1/2", "0-1/2",
        "bytes 0x0-1/2", "bytes 0-1/２",
    ])
    func invalidContentRangeIsRejected(text: String) {
        #expect(ContentRange(text) == nil)
    }

    @Test(
        arguments: [
            ("0", 0), ("007", 7), ("9223372036854775807", .max), ("9223372036854775808", nil), ("", nil), ("-1", nil),
            ("+1", nil), (" 1", nil), ("1 ", nil), ("1,1", nil), ("1.0", nil), ("１", nil), ("0x1", nil),
            ("00000000000000000000000000000000001", 1),
        ] as [(String, Int64?)])
    func numbersAreDigitsOnly(text: String, number: Int64?) {
        #expect(DecimalField.parse(text) == number)
    }
}
