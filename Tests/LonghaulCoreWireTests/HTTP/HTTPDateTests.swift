import LonghaulCore
import Testing

@Suite struct HTTPDateTests {
    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
        ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000),
        ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400),
        ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        ("Sat, 01 Jan 0000 00:00:00 GMT", -62_167_219_200),
        ("Wed Nov 16 08:49:37 1994", 784_975_777),
        ("Tuesday, 19-Jan-38 03:14:08 GMT", 2_147_483_648),
        ("Monday, 01-Jan-69 00:00:00 GMT", -31_536_000),
        ("Sunday, 01-Jan-68 00:00:00 GMT", 3_092_601_600),
        ("Mon, 06 Nov 1994 08:49:37 GMT", 784_111_777),
    ])
    func allThreeFormsAreRead(text: String, seconds: Int64) {
        #expect(HTTPDate.parse(text) == WallTime(seconds: seconds))
    }

    @Test(arguments: [
        "", "Sun", "Sun,", "0", "784111777", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 GMT ", " Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
        "Xyz, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov +994 08:49:37 GMT", "Sun, 06 Nov 19944 08:49:37 GMT",
        "Wed, 29 Feb 2023 00:00:00 GMT", "Thu, 29 Feb 1900 00:00:00 GMT", "Sun, 06-Nov-94 08:49:37 GMT",
        "Sunday, 06 Nov 1994 08:49:37 GMT", "Sun Nov 6 08:49:37 1994", "Sun Nov  6 08:49:37 94",
        "Sun Nov  6 08:49:37 1994 GMT", "Sunday Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 +0000",
    ])
    func invalidDateIsRejected(text: String) {
        #expect(HTTPDate.parse(text) == nil)
    }

    @Test(
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (253_402_300_800, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (-62_167_219_201, "Sat, 01 Jan 0000 00:00:00 GMT"),
        ] as [(Int64, String)])
    func theFixedFormIsWritten(seconds: Int64, text: String) {
        #expect(HTTPDate.format(WallTime(seconds: seconds)) == text)
    }

    @Test func theEndsOfTheCalendarCanBeWritten() {
        #expect(HTTPDate.format(WallTime(microseconds: .max)) == "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(HTTPDate.format(WallTime(microseconds: .min)) == "Sat, 01 Jan 0000 00:00:00 GMT")
    }

    @Test func partsOfASecondAreDropped() {
        #expect(HTTPDate.format(WallTime(microseconds: 1_999_999)) == "Thu, 01 Jan 1970 00:00:01 GMT")
        #expect(HTTPDate.format(WallTime(microseconds: -1)) == "Wed, 31 Dec 1969 23:59:59 GMT")
    }

    @Test func formattedDateRoundTrips() {
        var noise = HeaderNoise(seed: 1)
        for _ in 0..<5_000 {
            let time = WallTime(seconds: Int64.random(in: -62_167_219_200...253_402_300_799, using: &noise))
            #expect(HTTPDate.parse(HTTPDate.format(time)) == time)
        }
    }

    @Test func theDayOfTheWeekAdvancesWithEachDay() {
        let names = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        for day in 0..<2_000 {
            let text = HTTPDate.format(WallTime(seconds: Int64(day) * 86_400))
            #expect(text.hasPrefix(names[day % 7]))
        }
    }
}
