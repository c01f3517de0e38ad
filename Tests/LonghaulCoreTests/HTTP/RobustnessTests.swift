import LonghaulCore
import Testing

/// No text that a server may send stops the process; a trap would end these tests.
@Suite struct RobustnessTests {
    private static let valid = [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "W/\"xyzzy\"",
        "bytes 0-499/1234", "bytes */9223372036854775807", "attachment; filename*=UTF-8''%e2%82%ac; filename=\"a\\\"\"",
        "sha-256=:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=:;a=1, x=(1 2)", "https://u:p@[::1]:80/a/../b?c#d",
    ]

    private func readEverything(_ text: String) {
        _ = HTTPDate.parse(text)
        _ = EntityTag(text)
        _ = ContentRange(text)
        _ = ContentDisposition.fileName(text)
        _ = SafeFileName.make(from: text, url: text)
        _ = SafeFileName.numbered(text, 1)
        _ = Base64.decode(text)
        _ = Digest(hex: text, algorithm: .md5)
        _ = DecimalField.parse(text)
        _ = try? TransferURL(parsing: text)
        _ = HeaderRules.check(name: text, value: text)
        let names = [
            "Repr-Digest", "Digest", "Content-MD5", "Retry-After", "Date", "Upload-Offset", "Upload-Expires", "ETag",
            "Tus-Extension", "Tus-Version", "Content-Range", "Content-Length", "Last-Modified",
        ]
        let headers = names.map { HeaderField($0, text) }
        _ = DigestFields.offered(in: headers, isWhole: true)
        _ = RetryAfter.delay(in: headers, now: WallTime(microseconds: .min))
        _ = TusReply.capabilities(in: headers, creationURL: text)
        _ = TusReply.expires(in: headers, now: WallTime(microseconds: .max))
        let point = ResumePoint(
            length: .max, overlap: 0,
            validators: Validators(entityTag: text, lastModified: text, isSoft: false, total: 5))
        _ = ResumeLadder.headers(for: point)
        for status in [200, 206, 416] {
            let head = ResponseHead(status: status, headers: headers, effectiveURL: text)
            _ = DownloadJudge.judge(head: head, resume: point)
            _ = ValidatorReading.validators(from: head, total: nil)
            _ = RetryPolicy.failure(forStatus: status, head: head, url: text)
        }
    }

    @Test func randomTextIsReadWithoutATrap() {
        var noise = HeaderNoise(seed: 5)
        for _ in 0..<4_000 { readEverything(noise.text()) }
    }

    @Test(arguments: valid)
    func damagedTextIsReadWithoutATrap(text: String) {
        var noise = HeaderNoise(seed: 6)
        for _ in 0..<300 {
            var damaged = text
            for _ in 0..<Int.random(in: 1...4, using: &noise) { damaged = noise.damaged(damaged) }
            readEverything(damaged)
        }
    }

    @Test(arguments: ["a", ";", "\"", "\\", "%41", "/../", "=:", "e\u{301}", "😀", "(", ",", "9", "@", " "])
    func longTextIsReadInLinearTime(piece: String) {
        readEverything(String(repeating: piece, count: 30_000))
    }
}
