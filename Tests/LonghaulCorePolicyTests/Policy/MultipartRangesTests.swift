import LonghaulCore
import Testing

/// Responses to requests for several ranges (RFC 9110, section 14.6).
@Suite struct MultipartRangesTests {
    private func head(_ type: String, _ more: [HeaderField] = []) -> ResponseHead {
        ResponseHead(
            status: 206, headers: [HeaderField("Content-Type", type)] + more, effectiveURL: "http://a.example/f")
    }

    private static let body = Array(
        "\r\n--b\r\nContent-Type: text/plain\r\nContent-Range: bytes 0-4/100\r\n\r\n--b\r\n\r\n--b\r\ncontent-range:bytes 90-91/100\r\n\r\nyz\r\n--b--\r\n"
            .utf8)

    @Test(arguments: ["multipart/byteranges; boundary=b", "multipart/byteranges;charset=x; boundary=\"b\""])
    func partsHaveTheirBytes(type: String) {
        let parts = MultipartRanges.parts(of: head(type), Self.body)
        #expect(parts.map(\.start) == [0, 90] && parts.map(\.bytes) == [Array("--b\r\n".utf8), Array("yz".utf8)])
    }

    @Test func everyPrefixGivesCompleteParts() {
        let type = head("multipart/byteranges; boundary=b")
        let whole = MultipartRanges.parts(of: type, Self.body)
        for length in 0...Self.body.count {
            let parts = MultipartRanges.parts(of: type, Array(Self.body.prefix(length)))
            #expect(Array(whole.prefix(parts.count)) == parts)
        }
    }

    @Test func singlePartHasNoBoundary() {
        let part = head("text/plain", [HeaderField("Content-Range", "bytes 7-9/100")])
        #expect(
            MultipartRanges.parts(of: part, Array("abc".utf8)) == [
                MultipartRanges.Part(start: 7, bytes: Array("abc".utf8))
            ])
        #expect(MultipartRanges.parts(of: part, Array("ab".utf8)).isEmpty)
    }

    @Test(arguments: [
        "multipart/byteranges", "multipart/byteranges; boundary=", "multipart/mixed; boundary=b", "text/html",
    ]) func otherTypesHaveNoParts(type: String) {
        #expect(MultipartRanges.parts(of: head(type), Self.body).isEmpty)
    }

    @Test func largestNumbersAreNoParts() {
        let body = Array("--b\r\nContent-Range: bytes 0-9223372036854775806/9223372036854775807\r\n\r\nx\r\n--b--".utf8)
        #expect(MultipartRanges.parts(of: head("multipart/byteranges; boundary=b"), body).isEmpty)
        let range = HeaderField("Content-Range", "bytes 9223372036854775806-9223372036854775806/9223372036854775807")
        #expect(MultipartRanges.parts(of: head("text/plain", [range]), [1]).count == 1)
    }

    @Test(
        arguments: [
            ("\"6553f100-64\"", true), ("W/\"64-6553f100\"", true), ("\"1f2e-64-6553f100\"", true), (nil, true),
            ("\"64\"", false), ("\"6553f100-65\"", false), ("\"v1\"", false),
            ("\"9a0364b9e99bb480dd25e1f0284c8555\"", false),
        ] as [(String?, Bool)]) func tagsOfDateAndLengthAreRecognized(tag: String?, isOfDateAndLength: Bool)
    {
        let validators = Validators(entityTag: tag, lastModified: nil, isSoft: false, total: 100)
        #expect(validators.areOfDateAndLength == isOfDateAndLength)
    }
}
