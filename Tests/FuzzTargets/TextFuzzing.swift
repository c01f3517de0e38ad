import LonghaulCommand
import LonghaulCore

/// All parsers of a server's headers or URLs.
package enum HeaderFuzzing {
    static func run(_ bytes: [UInt8]) {
        readEverything(String(decoding: bytes, as: UTF8.self))
    }

    /// Reads a text by every parser there is.
    package static func readEverything(_ text: String) {
        _ = HTTPDate.parse(text).map(HTTPDate.format)
        _ = EntityTag(text)
        _ = ContentRange(text)
        _ = ContentDisposition.fileName(text)
        _ = SafeFileName.make(from: text, url: text)
        _ = SafeFileName.numbered(text, 1)
        _ = MediaType.guess(fileName: text)
        _ = Base64.decode(text)
        _ = Digest(algorithm: .md5, hexadecimal: text)
        _ = DecimalField.parse(text)
        _ = (try? TransferURL(parsing: text))?.resolving("../a?b")
        _ = (try? TransferURL(parsing: "http://example.org/a/b"))?.resolving(text)
        _ = OutgoingText.fault(inHeader: text, text)
        let headers = names.map { HeaderField($0, text) }
        _ = DigestFields.offered(in: headers, isWhole: true)
        for now in [WallTime(microseconds: .min), WallTime(seconds: 1_795_323_275), WallTime(microseconds: .max)] {
            _ = RetryAfter.delay(in: headers, now: now).map { now + $0 }
            _ = TusReply.expires(in: headers, now: now)
            _ = TusReply.expires(in: [HeaderField("Upload-Expires", text)], now: now)
        }
        _ = TusReply.capabilities(in: headers, creationURL: text)
        for length in [0, 1_000, Int64.max] { decide(headers, text, length: length) }
    }

    private static let names = [
        "Repr-Digest", "Digest", "Content-MD5", "Retry-After", "Date", "Upload-Offset", "Upload-Length",
        "Upload-Expires", "ETag", "Tus-Extension", "Tus-Version", "Tus-Max-Size", "Content-Range", "Content-Length",
        "Last-Modified",
    ]

    /// One header has the text, the others are normal: if all had it, most would contradict each other at once.
    private static func decide(_ headers: [HeaderField], _ text: String, length: Int64) {
        let usual = [HeaderField("ETag", "\"one\""), HeaderField("Content-Length", "1000")]
        let validators = Validators(entityTag: "\"one\"", lastModified: text, isSoft: false, total: length)
        let point = ResumePoint(length: length, overlap: min(length, 512), validators: validators)
        _ = ResumeLadder.headers(for: point)
        for status in [200, 206, 412, 416, 503] {
            for fields in [
                headers, usual + [HeaderField("Content-Range", text)], [HeaderField("Content-Length", text)],
            ] {
                let head = ResponseHead(status: status, headers: fields, effectiveURL: text)
                _ = DownloadRule.decide(head: head, resume: point)
                _ = DownloadRule.decide(head: head, resume: nil)
                _ = ValidatorReading.validators(from: head, total: length)
                _ = RetryPolicy.failure(forStatus: status, head: head, url: text)
            }
        }
    }

    static let examples = [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "W/\"xyzzy\"",
        "bytes 0-499/1234", "bytes 488-999/1000", "bytes */1000", "120",
        "attachment; filename*=UTF-8''%e2%82%ac; filename=\"a\\\"\"",
        "sha-256=:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=:;a=1, x=(1 2)", "https://u:p@[::1]:80/a/../b?c#d",
        "http://example.org:8080/%41%2f", "creation,termination,expiration", "d41d8cd98f00b204e9800998ecf8427e",
    ]
}

/// A helper's answer, and how long it counts.
enum HelperFuzzing {
    static func run(_ bytes: [UInt8]) {
        guard case .given(_, let expiresAt, _) = HelperProtocol.answer(bytes) else { return }
        guard let expiresAt else { return }
        for now in [WallTime(microseconds: .min), WallTime(seconds: 1_795_323_275), WallTime(microseconds: .max)] {
            _ = (expiresAt - now, expiresAt + .seconds(60), now < expiresAt)
        }
        _ = TimeText.stamp(expiresAt)
    }

    static let examples = [
        "username=a\npassword=b\npassword_expiry_utc=1795323275\n\n", "authtype=bearer\ncredential=token\n",
        "header=X-Api-Key: k:1\n", "quit=1\n", "wwwauth[]=Basic\r\nusername=a\r\npassword=b=c\r\n\r\nusername=d\n",
    ]
}

/// A list of downloads, with each line also used as an option's value.
enum ListFuzzing {
    static func run(_ bytes: [UInt8]) {
        var list = InputList()
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false) {
            _ = list.parse(String(line))
            option(String(line))
            if let equals = line.firstIndex(of: "=") { option(String(line[line.index(after: equals)...])) }
        }
        _ = list.finish()
    }

    private static func option(_ text: String) {
        for now in [WallTime(microseconds: .min), WallTime(seconds: 1_795_323_275), WallTime(microseconds: .max)] {
            guard let instant = TimeText.instant(text, now: now, offset: { _ in 3_600 }) else { continue }
            _ = TimeText.stamp(instant)
            for offset in [-50_400, 0, 50_400] { _ = TimeText.local(instant, offset: offset) }
        }
        _ = TimeText.span(text)
        _ = RulesText.window(text).map(RulesText.text)
        _ = RulesText.limit(text)
        if let number = Int64(text) { _ = TimeText.stamp(WallTime(microseconds: number)) }
    }

    static let examples = [
        "http://example.org/a.bin\thttp://mirror.example.org/a.bin\n  out=b.bin\n  dir=/tmp/c\n  header=Accept: */*\n",
        "# films\n\nhttps://example.org/film.mp4\n checksum=md5=d41d8cd98f00b204e9800998ecf8427e\n",
        "+10m\n+1.5h\n2026-01-02T03:04:05Z\n2026-01-02T03:04+01:00\n90\n7d\n",
        "mon-fri 9:00-17:00=500k\nsat,sun 22:00-6:00=none\n=2M\n=1G\n",
    ]
}
