import LonghaulCore
import Testing

@Suite struct ValidatorReadingTests {
    private static let modified = WallTime(seconds: 784_111_777)

    private func head(tag: String?, age: Int64?, extra: [HeaderField] = [], status: Int = 200) -> ResponseHead {
        var headers = extra
        if let tag { headers.append(HeaderField("ETag", tag)) }
        if let age {
            headers.append(HeaderField("Last-Modified", HTTPDate.format(Self.modified)))
            headers.append(HeaderField("Date", HTTPDate.format(Self.modified + .seconds(age))))
        }
        return ResponseHead(status: status, headers: headers, effectiveURL: "https://h/f")
    }

    @Test(
        arguments: [
            ("\"a\"", nil, false), ("\"a\"", 2, false), ("\"a\"", 1, true), ("\"a\"", 0, true), ("\"a\"", -5, true),
            ("\"a\"", 1_000, false), (nil, 60, false), (nil, 59, true), (nil, 0, true), (nil, -60, true),
            (nil, nil, true),
            ("W/\"a\"", nil, true), ("W/\"a\"", 59, true), ("W/\"a\"", 60, false), ("unquoted", nil, true),
            ("unquoted", 60, false),
        ] as [(String?, Int64?, Bool)])
    func aFreshFileHasSoftValidators(tag: String?, age: Int64?, isSoft: Bool) {
        let validators = ValidatorReading.validators(from: head(tag: tag, age: age), total: 9)
        #expect(validators.isSoft == isSoft)
        #expect(validators.entityTag == tag)
        #expect(validators.lastModified == age.map { _ in "Sun, 06 Nov 1994 08:49:37 GMT" })
        #expect(validators.total == 9)
    }

    @Test func aDateAloneProvesNothingWithoutTheServersClock() {
        let modified = HeaderField("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(ValidatorReading.validators(from: head(tag: nil, age: nil, extra: [modified])).isSoft)
        let date = HeaderField("Date", "Sun, 06 Nov 2094 08:49:37 GMT")
        let broken = [HeaderField("Last-Modified", "yesterday"), date]
        #expect(ValidatorReading.validators(from: head(tag: nil, age: nil, extra: broken)).isSoft)
    }

    @Test(
        arguments: [
            (200, ["Content-Length": "12"], 12), (200, [:], nil),
            (200, ["Content-Length": "12", "Transfer-Encoding": "chunked"], nil),
            (200, ["Content-Length": "12", "content-length": "13"], nil), (206, ["Content-Range": "bytes 1-2/12"], 12),
            (206, ["Content-Range": "bytes 1-2/*", "Content-Length": "2"], nil), (206, ["Content-Length": "2"], nil),
            (416, ["Content-Range": "bytes */12"], 12),
            (200, ["Content-Length": "12", "Content-Encoding": "gzip"], 12),
        ] as [(Int, KeyValuePairs<String, String>, Int64?)])
    func theTotalComesFromTheResponse(status: Int, fields: KeyValuePairs<String, String>, total: Int64?) {
        let head = head(tag: nil, age: nil, extra: fields.map { HeaderField($0, $1) }, status: status)
        #expect(ValidatorReading.total(of: head) == total)
        #expect(ValidatorReading.validators(from: head).total == total)
        #expect(ValidatorReading.validators(from: head, total: 99).total == 99)
    }
}
