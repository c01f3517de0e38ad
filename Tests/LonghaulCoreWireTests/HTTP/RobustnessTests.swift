import FuzzTargets
import LonghaulCore
import Testing

/// No text that a server may send stops the process; a trap would end these tests.
@Suite struct RobustnessTests {
    private static let valid = [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "W/\"xyzzy\"",
        "bytes 0-499/1234", "bytes */9223372036854775807", "attachment; filename*=UTF-8''%e2%82%ac; filename=\"a\\\"\"",
        "sha-256=:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=:;a=1, x=(1 2)", "https://u:p@[::1]:80/a/../b?c#d",
    ]

    @Test func randomTextIsReadWithoutATrap() {
        var noise = HeaderNoise(seed: 5)
        for _ in 0..<4_000 { HeaderFuzzing.readEverything(noise.text()) }
    }

    @Test(arguments: valid)
    func damagedTextIsReadWithoutATrap(text: String) {
        var noise = HeaderNoise(seed: 6)
        for _ in 0..<300 {
            var damaged = text
            for _ in 0..<Int.random(in: 1...4, using: &noise) { damaged = noise.damaged(damaged) }
            HeaderFuzzing.readEverything(damaged)
        }
    }

    @Test(arguments: ["a", ";", "\"", "\\", "%41", "/../", "=:", "e\u{301}", "😀", "(", ",", "9", "@", " "])
    func longTextIsReadInLinearTime(piece: String) {
        HeaderFuzzing.readEverything(String(repeating: piece, count: 30_000))
    }
}
