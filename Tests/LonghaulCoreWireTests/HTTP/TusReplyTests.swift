import LonghaulCore
import Testing

@Suite struct TusReplyTests {
    @Test(
        arguments: [
            ("0", 0), ("70", 70), ("9223372036854775807", .max), ("9223372036854775808", nil), ("-1", nil),
            ("1,1", nil),
            ("", nil), ("a", nil),
        ] as [(String, Int64?)])
    func numbersAreStrict(value: String, number: Int64?) {
        #expect(TusReply.offset(in: [HeaderField("upload-offset", value)]) == number)
        #expect(TusReply.length(in: [HeaderField("Upload-Length", value)]) == number)
        #expect(TusReply.maxSize(in: [HeaderField("Tus-Max-Size", value)]) == number)
    }

    @Test func differingCopiesAreAsGoodAsNone() {
        let twice = [HeaderField("Upload-Offset", "1"), HeaderField("Upload-Offset", "1")]
        #expect(TusReply.offset(in: twice) == 1)
        #expect(TusReply.offset(in: twice + [HeaderField("Upload-Offset", "2")]) == nil)
        #expect(TusReply.offset(in: []) == nil)
    }

    @Test func extensionsAreAList() {
        let headers = [
            HeaderField("Tus-Extension", "creation, Termination,,expiration"), HeaderField("tus-extension", "checksum"),
        ]
        #expect(TusReply.extensions(in: headers) == ["creation", "termination", "expiration", "checksum"])
        #expect(TusReply.extensions(in: []) == [])
    }

    @Test func onlyATusServerHasCapabilities() {
        let headers = [
            HeaderField("Tus-Version", "1.0.0,0.2.2"), HeaderField("Tus-Extension", "creation"),
            HeaderField("Tus-Max-Size", "10"),
        ]
        let capabilities = TusCapabilities(extensions: ["creation"], maxSize: 10, creationURL: "https://h/f/")
        #expect(TusReply.capabilities(in: headers, creationURL: "https://h/f/") == capabilities)
        #expect(TusReply.capabilities(in: [HeaderField("Tus-Version", "0.2.2")], creationURL: "u") == nil)
        #expect(TusReply.capabilities(in: [], creationURL: "u") == nil)
    }

    @Test func expiryIsCorrectedForTheServersClock() {
        let expires = HeaderField("Upload-Expires", "Sun, 06 Nov 1994 08:49:37 GMT")
        let now = WallTime(seconds: 1_000)
        let date = HeaderField("Date", "Sun, 06 Nov 1994 08:49:27 GMT")
        #expect(TusReply.expires(in: [expires, date], now: now) == WallTime(seconds: 1_010))
        #expect(TusReply.expires(in: [expires], now: now) == WallTime(seconds: 784_111_777))
        #expect(TusReply.expires(in: [HeaderField("Upload-Expires", "later")], now: now) == nil)
    }

    @Test func metadataIsEncodedInOrder() throws {
        let pairs = [
            MetadataPair(key: "filename", value: "world_domination_plan.pdf"),
            MetadataPair(key: "is_confidential", value: ""),
            MetadataPair(key: "note", value: "naïve"),
        ]
        let encoded = "filename d29ybGRfZG9taW5hdGlvbl9wbGFuLnBkZg==,is_confidential,note bmHDr3Zl"
        #expect(try UploadMetadata.encode(pairs) == encoded)
        #expect(try UploadMetadata.encode([]) == "")
    }

    @Test(arguments: ["", "a b", "a,b", "é", "a\n", "a\u{7F}"])
    func aBadMetadataKeyIsRefused(key: String) {
        #expect(throws: TransferFailure.self) { try UploadMetadata.encode([MetadataPair(key: key, value: "v")]) }
    }

    @Test func aRepeatedMetadataKeyIsRefused() {
        let pair = MetadataPair(key: "k", value: "v")
        #expect(throws: TransferFailure.self) { try UploadMetadata.encode([pair, pair]) }
    }
}
