import LonghaulCore
import Testing

@Suite struct RetryAfterTests {
    private let now = WallTime(seconds: 784_111_777)

    @Test(
        arguments: [
            ("0", .zero), ("120", .seconds(120)), ("9223372036854775807", Duration(microseconds: .max)), ("-1", nil),
            ("1.5", nil),
            ("soon", nil), ("", nil), ("99999999999999999999", Duration(microseconds: .max)),
            ("000000000000000000000000000007", .seconds(7)), ("99999999999999999999x", nil),
        ] as [(String, Duration?)])
    func secondsAreTakenAsTheyAre(value: String, delay: Duration?) {
        #expect(RetryAfter.delay(in: [HeaderField("retry-after", value)], now: now) == delay)
    }

    @Test func aDateIsMeasuredAgainstTheRepliesOwnClock() {
        let headers = [
            HeaderField("Retry-After", "Fri, 31 Dec 1999 23:59:59 GMT"),
            HeaderField("Date", "Fri, 31 Dec 1999 23:58:59 GMT"),
        ]
        #expect(RetryAfter.delay(in: headers, now: now) == .seconds(60))
    }

    @Test func aDateThatHasPassedAsksForNoWait() {
        let headers = [HeaderField("Retry-After", "Sun, 06 Nov 1994 08:49:30 GMT")]
        #expect(RetryAfter.delay(in: headers, now: now) == .zero)
        #expect(
            RetryAfter.delay(in: [HeaderField("Retry-After", "Sun, 06 Nov 1994 08:49:39 GMT")], now: now) == .seconds(2)
        )
    }

    @Test(arguments: [("784111787", Duration.seconds(10)), ("784111000", .zero), ("soon", nil), ("-1", nil)])
    func usedUpLimitAsksForItsReset(reset: String, delay: Duration?) {
        let headers = [HeaderField("X-RateLimit-Remaining", "0"), HeaderField("X-RateLimit-Reset", reset)]
        #expect(RetryAfter.delay(in: headers, now: now) == delay)
        #expect(RetryAfter.delay(in: headers + [HeaderField("Retry-After", "3")], now: now) == .seconds(3))
        #expect(RetryAfter.delay(in: [headers[1]], now: now) == nil)
    }

    @Test func anAbsentFieldAsksForNothing() {
        #expect(RetryAfter.delay(in: [], now: now) == nil)
    }

    /// Ignoring all of them would mean an immediate retry.
    @Test func ofSeveralWishesTheLongestIsHeeded() {
        let headers = ["1", "soon", "3600", "2"].map { HeaderField("Retry-After", $0) }
        #expect(RetryAfter.delay(in: headers, now: now) == .seconds(3_600))
    }
}
