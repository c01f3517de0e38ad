import Glibc
import LonghaulCore
import LonghaulSystem
import Testing

@testable import LonghaulCommand

struct TextTests {
    @Test(arguments: [
        (0, "0 B"), (1_023, "1023 B"), (1_024, "1.0 KiB"), (1_536, "1.5 KiB"), (1_048_575, "1023.9 KiB"),
        (1_048_576, "1.0 MiB"), (12_897_485, "12.3 MiB"), (Int64.max, "7.9 EiB"), (-1, "0 B"),
    ])
    func bytesAreReadable(count: Int64, text: String) {
        #expect(HumanText.bytes(count) == text)
    }

    @Test(
        arguments: [(0, "0:00"), (61, "1:01"), (3_723, "1:02:03"), (500_000, "5 d"), (-4, "0:00")] as [(Int64, String)])
    func timeLeftIsAClock(seconds: Int64, text: String) {
        #expect(HumanText.clock(seconds) == text)
    }

    @Test(arguments: [
        (1, "1 s"), (4_000_000, "4 s"), (4_000_001, "5 s"), (600_000_000, "10 min"), (7_500_000_000, "2 h 5 min"),
        (90_000_000_000, "1 d 1 h"), (-5, "0 s"),
    ])
    func spansRoundUp(microseconds: Int64, text: String) {
        #expect(HumanText.span(Duration(microseconds: microseconds)) == text)
    }

    @Test func onlyACompleteTransferIsAtHundredPercent() {
        #expect(HumanText.percent(999_999, of: 1_000_000) == 99)
        #expect(HumanText.percent(5, of: 5) == 100)
        #expect(HumanText.percent(0, of: 0) == 100)
        #expect(HumanText.percent(5, of: nil) == nil)
    }

    @Test(arguments: [
        ("90", 90_000_000), ("1.5", 1_500_000), ("10m", 600_000_000), ("2h", 7_200_000_000), ("7d", 604_800_000_000),
        ("1w", 604_800_000_000), ("", nil), ("m", nil), ("-3", nil), ("1e3", nil), ("5x", nil), ("1.2.3", nil),
        ("999999999999999999d", nil), ("1h30m", 5_400_000_000), ("1d12h", 129_600_000_000), ("1h30", nil), ("h", nil),
        ("5 m", nil),
    ])
    func spansAreRead(text: String, microseconds: Int64?) {
        #expect(TimeText.span(text)?.microseconds == microseconds)
    }

    @Test(arguments: [
        ("2026-01-02T03:04:05Z", 1_767_323_045), ("2026-01-02T04:04:05+01:00", 1_767_323_045),
        ("2026-01-02 03:04:05.123z", 1_767_323_045), ("2026-01-02T03:04Z", 1_767_323_040),
        ("2024-02-29T00:00:00-00:30", 1_709_166_600), ("2023-02-29T00:00:00Z", nil), ("2026-01-02T03:04:05", nil),
        ("2026-1-2T03:04:05Z", nil), ("2026-01-02T03:04:05Zx", nil), ("yesterday", nil),
    ])
    func datesAreRead(text: String, seconds: Int64?) {
        #expect(TimeText.instant(text, now: start, offset: { _ in 0 })?.seconds == seconds)
    }

    @Test func aDateMayBeCountedFromNow() {
        #expect(TimeText.instant("+10m", now: start, offset: { _ in 0 }) == start + .seconds(600))
        #expect(TimeText.instant("+1h30m", now: start, offset: { _ in 0 }) == start + .seconds(5_400))
    }

    /// It is 2026-01-02 04:04:05 one hour east of Greenwich.
    @Test(arguments: [
        ("23:00", "2026-01-02T22:00:00Z"), ("4:00", "2026-01-03T03:00:00Z"), ("tomorrow", "2026-01-02T23:00:00Z"),
        ("tomorrow 7:30", "2026-01-03T06:30:00Z"), ("2026-11-23 08:00", "2026-11-23T07:00:00Z"),
        ("2026-11-23", "2026-11-22T23:00:00Z"), ("24:00", nil), ("7:5", nil), ("tomorrow noon", "2026-01-03T11:00:00Z"),
        ("8pm", "2026-01-02T19:00:00Z"), ("3am", "2026-01-03T02:00:00Z"), ("8:30 PM", "2026-01-02T19:30:00Z"),
        ("12am", "2026-01-02T23:00:00Z"), ("12pm", "2026-01-02T11:00:00Z"), ("noon", "2026-01-02T11:00:00Z"),
        ("midnight", "2026-01-02T23:00:00Z"), ("monday", "2026-01-04T23:00:00Z"), ("Mon 7:30", "2026-01-05T06:30:00Z"),
        ("friday", "2026-01-08T23:00:00Z"), ("friday 20:00", "2026-01-02T19:00:00Z"),
        ("today 8pm", "2026-01-02T19:00:00Z"),
        ("13pm", nil), ("0am", nil), ("someday", nil), ("8 o'clock", nil),
        ("2026-02-30", nil),
        ("12", nil), ("", nil),
    ])
    func localTimesAreRead(text: String, stamp: String?) {
        let expected = stamp.flatMap { TimeText.instant($0, now: start, offset: { _ in 0 }) }
        #expect((stamp == nil) == (expected == nil))
        #expect(TimeText.instant(text, now: start, offset: { _ in 3_600 }) == expected)
    }

    @Test func datesAreWritten() {
        #expect(TimeText.stamp(start + Duration(microseconds: 42)) == "2026-01-02T03:04:05.000042Z")
        #expect(TimeText.stamp(WallTime(microseconds: -1)) == "1969-12-31T23:59:59.999999Z")
        #expect(TimeText.stamp(WallTime(microseconds: .min)) == "-290308-12-21T19:59:05.224192Z")
        #expect(TimeText.stamp(WallTime(microseconds: .max)) == "294247-01-10T04:00:54.775807Z")
        #expect(TimeText.local(start, offset: 3_600) == "2026-01-02 04:04:05")
    }

    @Test(arguments: [
        ("plain", 5), ("漢字", 4), ("é", 1), ("e\u{301}", 1), ("👩‍👩‍👧", 2), ("🇨🇭", 2), ("…", 1), ("☁️", 2),
    ])
    func columnsAreCounted(text: String, columns: Int) {
        #expect(DisplayText.width(text) == columns)
    }

    @Test func cursorControlsAreReplaced() {
        #expect(DisplayText.clean("a\u{1B}[2J\n\u{9B}b\u{202E}c") == "a\u{FFFD}[2J\u{FFFD}\u{FFFD}b\u{FFFD}c")
    }

    @Test(arguments: 0...12)
    func fittedTextHasExactlyItsColumns(columns: Int) {
        for text in ["漢字漢字漢字", "plain text that is long", "short", ""] {
            #expect(DisplayText.width(DisplayText.fit(text, columns)) == columns)
        }
    }

    @Test(arguments: [
        ("500", 500), ("2k", 2_048), ("2M", 2 << 20), ("1G", 1 << 30), ("2MiB", 2 << 20), ("2MiB/s", 2 << 20),
        ("2MB", 2_000_000), ("2kB/s", 2_000), ("9B", 9), ("2/s", 2), ("0", 0), ("1.5M", 3 << 19), ("0.5k", 512),
        ("1.5", nil), ("1.5.2M", nil), (".5k", nil), ("iB", nil), ("9iB", nil), ("M", nil),
        ("-1", nil), ("99999999999G", nil),
    ])
    func ratesAreRead(text: String, rate: Int64?) {
        #expect(TransferTemplate.rate(text) == rate)
    }

    @Test func absolutePathsHaveNoParents() throws {
        let scratch = Scratch()
        try LocalPaths.makeDirectory(scratch.path + "/a/b")
        symlink(scratch.path + "/a/b", scratch.path + "/link")
        let world = TestWorld().world(directory: scratch.path + "/a")
        #expect(world.absolute("../w/pic.jpg") == scratch.path + "/w/pic.jpg")
        #expect(world.absolute("./b/../x") == scratch.path + "/a/x")
        #expect(world.absolute("../../../../etc/") == "/etc/")
        #expect(world.absolute(scratch.path + "/link/../x") == scratch.path + "/link/../x")
        #expect(world.absolute("missing/../x") == scratch.path + "/a/missing/../x")
        #expect(world.absolute(".hidden/a..b") == scratch.path + "/a/.hidden/a..b")
    }

    @Test func jsonIsEscaped() {
        var json = JSONWriter()
        json.object { json in
            json.member("text", "\"a\\b\n\u{01}é\u{7F}\u{9B}\u{202E}😀")
            json.member("none", nil as String?)
            json.array("list") { json in
                json.object { $0.member("a", 1) }
                json.object { _ in }
                json.string("x")
            }
            json.member("yes", true)
        }
        let text = String(decoding: json.bytes, as: UTF8.self)
        #expect(
            text == #"{"text":"\"a\\b\n\u0001é\u007f\u009b\u202e😀","none":null,"list":[{"a":1},{},"x"],"yes":true}"#)
    }
}
